{{- define "touchstone.name" -}}
{{- printf "%s" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "touchstone.labels" -}}
app.kubernetes.io/name: touchstone
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* Arguments: context, role. */}}
{{- define "touchstone.selector" -}}
app.kubernetes.io/name: touchstone
app.kubernetes.io/instance: {{ .context.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end -}}

{{/* The pod of one role. Arguments: context, role (api, worker or server), roles, resources. */}}
{{- define "touchstone.pod" -}}
metadata:
  labels:
    {{- include "touchstone.selector" . | nindent 4 }}
  {{- with .context.Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with .context.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  # The server stores what it has accepted before it ends; it takes half a minute at most.
  terminationGracePeriodSeconds: 40
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    seccompProfile: { type: RuntimeDefault }
  containers:
    - name: touchstone
      image: {{ printf "%s:%s" .context.Values.image.repository (default .context.Chart.AppVersion .context.Values.image.tag) | quote }}
      imagePullPolicy: {{ .context.Values.image.pullPolicy }}
      securityContext:
        allowPrivilegeEscalation: false
        capabilities: { drop: [ALL] }
      env:
        - name: TOUCHSTONE_ROLES
          value: {{ .roles | quote }}
        {{- with .context.Values.publicUrl }}
        - name: TOUCHSTONE_PUBLIC_URL
          value: {{ . | quote }}
        {{- end }}
        {{- with .context.Values.trustedProxies }}
        - name: TOUCHSTONE_TRUSTED_PROXIES
          value: {{ . | quote }}
        {{- end }}
        {{- range $name, $value := .context.Values.settings }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
      {{- with .context.Values.existingSecret }}
      envFrom:
        - secretRef: { name: {{ . }} }
      {{- end }}
      {{- if ne .role "worker" }}
      ports:
        - { name: http, containerPort: 3000 }
      # The server listens after it has migrated its stores.
      startupProbe:
        httpGet: { path: /ok, port: http }
        periodSeconds: 2
        failureThreshold: 300
      # Asks both stores, and waits up to 5 seconds for them.
      readinessProbe:
        httpGet: { path: /ready, port: http }
        periodSeconds: 5
        timeoutSeconds: 10
      # The server ends itself when its event loop stands still, so this only finds a process that cannot even do that.
      livenessProbe:
        httpGet: { path: /ok, port: http }
        periodSeconds: 30
        timeoutSeconds: 10
        failureThreshold: 4
      {{- end }}
      resources:
        {{- toYaml .resources | nindent 8 }}
      volumeMounts:
        - { name: data, mountPath: /data }
  volumes:
    - name: data
      {{- if .context.Values.external }}
      emptyDir: {}
      {{- else }}
      persistentVolumeClaim: { claimName: {{ include "touchstone.name" .context }} }
      {{- end }}
  {{- with .context.Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .context.Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .context.Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
