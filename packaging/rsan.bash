# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
#
# Completion of the command rsan for bash.
_rsan() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command='' i
  local commands='doctor report run fix' options='--help --usage --version'
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      -*) ;;
      *) command=${COMP_WORDS[i]}; break ;;
    esac
  done
  case $command in
    doctor) options+=' --no-build' ;;
    run) options+=' --iterations --time --jobs --until-clean --stop-on-first --timeout --output --keep' ;;
    fix) options+=' --runs --jobs --time --timeout --apply --build --native --output --database --keep' ;;
    report)
      options+=' --format --suppressions --output --sysroot --module-dir --strip-prefix --symbolizer'
      ;;
  esac
  COMPREPLY=()
  if [[ $command == @(run|fix) ]] && _rsan_in_command "$i"; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  elif [[ $command == report && ($before == --format || $before == -f) ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'text json sarif junit html' -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  elif [[ -z $command ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word")
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}

# Behind `--', the words are those of the command that is run.
_rsan_in_command() {
  local i
  for ((i = $1 + 1; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} != -- ]] || return 0
  done
  return 1
}
complete -F _rsan rsan
