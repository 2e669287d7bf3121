# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Completion of RSan's commands for fish. The commands themselves say what may stand where
# (tools/printable/completion.h), rsan-clang by clang's --autocomplete.
function __rsan_complete
    set -l word (commandline -ct)
    set -l words (commandline -opc)
    for line in ($words[1] --complete $words[2..-1] "$word" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$word"
        else
            echo $line
        end
    end
end

function __rsan_complete_clang
    set -l word (commandline -ct)
    set -l words (commandline -opc)
    if string match -q -- '-*' "$word"
        printf '%s\n' -fsanitize=robustness -Rrsan
        $words[1] --autocomplete="$word" 2>/dev/null
    else
        __fish_complete_path "$word"
    end
end

for program in rsan rsan-edit rsan-replay rsan-symbolize
    complete -c $program -f -a '(__rsan_complete)'
end
for program in rsan-clang rsan-clang++
    complete -c $program -f -a '(__rsan_complete_clang)'
end
