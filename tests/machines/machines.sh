# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
#
# Machines for the tests of rsan run --on: hosts for ssh, each an sshd in namespaces of its own on ADDRESS[N], and a
# Slurm of two nodes. They are stopped by their process ids when the script ends, however it ends. In: CASE.

PIDS=$CASE/pids # of all that was started, by whichever part of the script
: >"$PIDS"
PORT=$((20000 + $$ % 20000))
export PARALLEL_HOME=$CASE/parallel

stop_machines() {
  local pid
  for pid in $(<"$PIDS"); do
    kill -KILL "$pid" 2>/dev/null || :
    wait "$pid" 2>/dev/null || :
  done
}
trap stop_machines EXIT

# Packages are a must; namespaces are not everywhere permitted.
need_packages() { # PROGRAM PACKAGE...
  while (($#)); do
    [[ -n $(PATH=$PATH:/usr/sbin command -v "$1") ]] || fail "$1 is missing: install the package $2 (tests/debian-packages.txt)"
    shift 2
  done
}

need_namespaces() {
  unshare -m -u -p --fork --mount-proc true 2>/dev/null && return
  echo 'skipped: namespaces are not permitted here (unshare -m -u -p), and each host needs its own'
  exit 77
}

declare -gA ADDRESS=([1]=127.0.0.1 [2]=127.0.0.2)

# A key for all, and what ssh has to know of the hosts one, two ...
prepare_ssh() {
  need_packages sshd openssh-server parallel parallel ssh openssh-client
  need_namespaces
  ssh-keygen -q -t ed25519 -N '' -f "$CASE/key"
  ssh-keygen -q -t ed25519 -N '' -f "$CASE/hostkey"
  printf '%s\n' 'Host one' "  HostName ${ADDRESS[1]}" 'Host two' "  HostName ${ADDRESS[2]}" 'Host *' "  Port $PORT" \
    "  User $(id -un)" "  IdentityFile $CASE/key" '  StrictHostKeyChecking no' '  UserKnownHostsFile /dev/null' \
    '  LogLevel ERROR' >"$CASE/ssh_config"
  export PARALLEL_SSH="ssh -F $CASE/ssh_config"
  printf '1/one\n1/two # comment\n' >"$CASE/hosts"
}

# Starts the host N; HOST[N] is the process that keeps it. SIZE: of its folder for temporary files. It executes hostN/before first.
declare -gA HOST
start_host() { # N [SIZE]
  local at=$CASE/host$1 pid
  mkdir -p "$at/user" "$at/tmp"
  printf '%s\n' "Port $PORT" "ListenAddress ${ADDRESS[$1]}" "HostKey $CASE/hostkey" "AuthorizedKeysFile $CASE/key.pub" \
    'StrictModes no' 'UsePAM no' 'PidFile none' "SetEnv HOME=$at/user TMPDIR=$at/tmp" >"$at/sshd_config"
  unshare -m -u -p --fork --kill-child --mount-proc sh -c '
    { [ ! -e "$1/before" ] || . "$1/before"; } && mount -t tmpfs none /run && mkdir /run/sshd && hostname host$2 &&
    mount -t tmpfs -o size=${3:-500m} none "$1/tmp" && exec /usr/sbin/sshd -D -e -f "$1/sshd_config"' \
    sh "$at" "$1" "${2-}" >"$at/log" 2>&1 &
  pid=$!
  echo "$pid" >>"$PIDS"
  HOST[$1]=$pid
  until [[ -e $at/log ]] && grep -q 'Server listening' "$at/log"; do
    kill -0 "$pid" 2>/dev/null || fail "host $1 does not start: $(cat "$at/log")"
    read -rt 0.02 <> <(:) || :
  done
}

kill_host() {
  kill -KILL "${HOST[$1]}"
  wait "${HOST[$1]}" 2>/dev/null || :
}

processes_of() { # host N: all in its namespace
  local init pid own
  init=$(<"/proc/${HOST[$1]}/task/${HOST[$1]}/children")
  own=$(readlink "/proc/${init% }/ns/pid")
  for pid in /proc/[0-9]*; do
    [[ $(readlink "$pid/ns/pid" 2>/dev/null) != "$own" ]] || echo "${pid#/proc/}"
  done
}

# munged, slurmctld and two nodes of one processor each.
declare -gA NODE
prepare_slurm() {
  need_packages munged munge slurmctld slurm-wlm slurmd slurm-wlm sbatch slurm-wlm
  [[ $(id -u) == 0 ]] || {
    echo 'skipped: slurmd and munged need root'
    exit 77
  }
  local at=$CASE/slurm folder
  SOCKETS=$(mktemp -d -p /tmp) # a socket's path has to be short
  mkdir -p "$at/state"
  dd if=/dev/urandom bs=1024 count=1 of="$SOCKETS/key" status=none
  chmod 755 "$SOCKETS"
  chmod 400 "$SOCKETS/key"
  chown -R munge "$SOCKETS"
  setpriv --reuid munge --regid munge --clear-groups /usr/sbin/munged -F --key-file="$SOCKETS/key" \
    --socket="$SOCKETS/socket" --log-file="$SOCKETS/log" --pid-file="$SOCKETS/pid" --seed-file="$SOCKETS/seed" \
    >"$at/munged.out" 2>&1 &
  echo $! >>"$PIDS"
  trap 'stop_machines; rm -rf "$SOCKETS"' EXIT
  printf '%s\n' ClusterName=rsan "SlurmctldHost=$(hostname)(127.0.0.1)" "SlurmctldPort=$PORT" AuthType=auth/munge \
    "AuthInfo=socket=$SOCKETS/socket" SlurmUser=root SlurmdUser=root "StateSaveLocation=$at/state" \
    "SlurmdSpoolDir=$at/spool-%n" "SlurmctldPidFile=$at/ctld.pid" "SlurmdPidFile=$at/%n.pid" \
    "SlurmctldLogFile=$at/ctld.log" "SlurmdLogFile=$at/%n.log" ProctrackType=proctrack/linuxproc TaskPlugin=task/none \
    SelectType=select/cons_tres SelectTypeParameters=CR_Core ReturnToService=2 SlurmdTimeout=10 \
    "NodeName=n1 NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$((PORT + 1)) CPUs=1" \
    "NodeName=n2 NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$((PORT + 2)) CPUs=1" \
    'PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP' >"$at/slurm.conf"
  export SLURM_CONF=$at/slurm.conf
  start_controller
  start_node n1
  start_node n2
  until [[ $(sinfo -h -t idle -o %D 2>/dev/null) == 2 ]]; do
    kill -0 "${NODE[n1]}" "${NODE[n2]}" "$CONTROLLER" || fail "Slurm does not start: $(tail "$at"/*.log)"
    read -rt 0.05 <> <(:) || :
  done
}

start_controller() {
  /usr/sbin/slurmctld -D >>"$CASE/slurm/ctld.out" 2>&1 &
  CONTROLLER=$!
  echo $! >>"$PIDS"
}

start_node() {
  /usr/sbin/slurmd -D -N "$1" >>"$CASE/slurm/$1.out" 2>&1 &
  NODE[$1]=$!
  echo $! >>"$PIDS"
}
