# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writing a file of results, of which nobody ever sees a half."""

import os
import pathlib
import shutil


def write(path, text):
    """Replaces a regular file as a whole, with its owner and mode; a symbolic link stays, and so does what is no regular file."""
    path = pathlib.Path(path)
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    path = pathlib.Path(os.path.realpath(path))
    partial = path.with_name(f".{path.name}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        if path.exists():
            status = path.stat()
            os.chown(partial, status.st_uid, status.st_gid)
            shutil.copymode(path, partial)
        partial.replace(path)
    except (OSError, UnicodeError):
        partial.unlink(missing_ok=True)
        raise
