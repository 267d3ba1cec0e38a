#!/usr/bin/env bash
# Makes what the operator may do, as the original operator's script of this name does:
#   create_role.sh [--namespace=default] [--role-name=etcd-operator] [--role-binding-name=etcd-operator]
set -euo pipefail

namespace=default role=etcd-operator binding=etcd-operator
for word in "$@"; do
  case "$word" in
    --namespace=*) namespace=${word#*=} ;;
    --role-name=*) role=${word#*=} ;;
    --role-binding-name=*) binding=${word#*=} ;;
    *) sed -n '2,3s/^# //p' "$0" >&2; exit 2 ;;
  esac
done

here="$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)"
awk -v space="$namespace" -v role="$role" -v binding="$binding" '
  /^kind:/ { kind = $2 }
  kind == "ClusterRole" && /^  name:/ { $0 = "  name: " role }
  kind == "ClusterRoleBinding" && /^  name:/ { $0 = "  name: " binding }
  kind == "ClusterRoleBinding" && /^roleRef:/ { sub(/name: [^}]*/, "name: " role) }
  { gsub(/namespace: default/, "namespace: " space); print }
' "$here/../../../operators/deploy/rbac.yaml" | kubectl apply -f -
