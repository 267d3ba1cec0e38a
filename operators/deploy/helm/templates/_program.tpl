{{/* A program with its account and lease; its ClusterRole has the same name. Needs root, name, args, and agents: whether it makes pods of its own image. */}}
{{- define "etcd-operator.program" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: {{ .name }}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {{ .name }}}
subjects:
- {kind: ServiceAccount, name: {{ .name }}, namespace: {{ .root.Release.Namespace }}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
rules:
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create, get, update, patch, list, watch]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: {{ .name }}}
subjects:
- {kind: ServiceAccount, name: {{ .name }}, namespace: {{ .root.Release.Namespace }}}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
spec:
  replicas: {{ .root.Values.replicas }}
  selector:
    matchLabels: {name: {{ .name }}}
  template:
    metadata:
      labels: {name: {{ .name }}}
    spec:
      serviceAccountName: {{ .name }}
      securityContext: {runAsNonRoot: true, runAsUser: 65532}
      containers:
      - name: {{ .name }}
        image: {{ .root.Values.image }}
        imagePullPolicy: {{ .root.Values.imagePullPolicy }}
        args: [{{ .args }}]
        env:
        {{- if .agents }}
        - {name: OPERATOR_IMAGE, value: {{ .root.Values.image | quote }}}
        {{- end }}
        - name: MY_POD_NAMESPACE
          valueFrom: {fieldRef: {fieldPath: metadata.namespace}}
        - name: MY_POD_NAME
          valueFrom: {fieldRef: {fieldPath: metadata.name}}
        ports:
        - {name: http, containerPort: 8080}
        livenessProbe:
          httpGet: {path: /healthz, port: http}
          initialDelaySeconds: 10
        readinessProbe:
          httpGet: {path: /readyz, port: http}
          periodSeconds: 2
        resources:
          {{- toYaml .root.Values.resources | nindent 10 }}
{{- end }}
