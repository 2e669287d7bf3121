# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
#
# Completion of RSan's commands for bash. The commands themselves say what may stand where
# (tools/printable/completion.h), rsan-clang by clang's --autocomplete.
_rsan_take() { # a line of an answer, whose text behind the tab bash does not show
  if [[ $1 == :files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  elif [[ -n $1 ]]; then
    COMPREPLY+=("${1%%$'\t'*}")
  fi
}

_rsan() {
  local program=${COMP_WORDS[0]/#\~\//$HOME/} word=${COMP_WORDS[COMP_CWORD]} line
  local -a words=()
  for line in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
    [[ $line == = ]] || words+=("$line") # bash takes --option=value apart
  done
  [[ $word != = ]] || words+=('') word=''
  COMPREPLY=()
  while IFS= read -r line; do
    _rsan_take "$line"
  done < <("$program" --complete "${words[@]}" 2>/dev/null)
}

_rsan_clang() {
  local program=${COMP_WORDS[0]/#\~\//$HOME/} word=${COMP_WORDS[COMP_CWORD]} line
  COMPREPLY=()
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W '-fsanitize=robustness -Rrsan' -- "$word")
    while IFS= read -r line; do
      _rsan_take "$line"
    done < <("$program" --autocomplete="$word" 2>/dev/null)
  else
    _rsan_take :files
  fi
}
complete -F _rsan rsan rsan-edit rsan-replay rsan-symbolize
complete -F _rsan_clang rsan-clang rsan-clang++
