// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "html.h"

const char html_style[] =
    ":root{--text:#1b1f24;--back:#fff;--soft:#59636e;--line:#d1d9e0;--box:#f6f8fa;--bad:#c62828;"
    "--mark:#fff3bf;--link:#0550ae}\n"
    "@media(prefers-color-scheme:dark){:root{--text:#e6edf3;--back:#0d1117;--soft:#9198a1;"
    "--line:#3d444d;--box:#151b23;--bad:#ff7b72;--mark:#4b3d00;--link:#79c0ff}}\n"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--text);background:var(--back);"
    "margin:0 auto;max-width:78em;padding:1em}\n"
    "h1{font-size:1.5em;margin:.2em 0}h2{font-size:1.15em;margin:0 0 .5em;overflow-wrap:anywhere}\n"
    "h3{font-size:1em;margin:1em 0 .3em}\n"
    "a{color:var(--link)}code,pre,td.place{font-family:ui-monospace,monospace;font-size:13px}\n"
    "header p{margin:.2em 0;color:var(--soft)}\n"
    "table{border-collapse:collapse;width:100%;margin:1em 0}\n"
    "th,td{text-align:left;padding:.3em .6em;border-bottom:1px solid var(--line);"
    "vertical-align:top;overflow-wrap:anywhere}td.number,th.number{text-align:right}\n"
    "article{border:1px solid var(--line);border-radius:6px;padding:1em;margin:1.5em 0}\n"
    ".kind{color:var(--bad);font-weight:600}.soft{color:var(--soft)}\n"
    ".repair{border-left:4px solid var(--link);padding:.3em .8em;margin:1em 0;"
    "background:var(--box);overflow-wrap:anywhere}\n"
    "pre{background:var(--box);padding:.6em;overflow-x:auto;margin:.3em 0;border-radius:4px}\n"
    "pre .here{background:var(--mark);display:inline-block;min-width:100%}\n"
    "pre .number{color:var(--soft);user-select:none}\n"
    "summary{cursor:pointer;color:var(--link)}[hidden]{display:none}\n"
    ".diagram{overflow-x:auto}svg{font-family:ui-monospace,monospace;font-size:13px;display:block}"
    "\n"
    "svg text{fill:var(--text)}svg text.soft{fill:var(--soft)}svg text.bad{fill:var(--bad)}\n"
    "svg rect{fill:var(--box);stroke:var(--line)}svg rect.bad{stroke:var(--bad);stroke-width:2;"
    "fill:var(--box)}\n"
    "svg path{fill:none;stroke:var(--soft);stroke-width:1.5}\n"
    "svg path.bad{stroke:var(--bad);stroke-dasharray:6 4;stroke-width:2}\n"
    "svg path.head{fill:var(--soft);stroke:none}svg path.bad.head{fill:var(--bad);stroke:none}\n"
    "svg path.column{stroke:var(--line);stroke-dasharray:2 4}\n";

const char html_script[] =
    "const choice=document.getElementById('file');\n"
    "function show(){let shown=0;\n"
    " for(const item of document.querySelectorAll('[data-files]')){\n"
    "  const on=!choice.value||JSON.parse(item.dataset.files).includes(choice.value);\n"
    "  item.hidden=!on;if(on&&item.tagName==='ARTICLE')shown++;}\n"
    " document.getElementById('shown').textContent=choice.value?shown+' shown':'';}\n"
    "if(choice){choice.addEventListener('change',show);show();}\n";
