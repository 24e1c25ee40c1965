{{- /* GENERATED from constructs by scripts/synth. Do not edit: run `npm run generate`. */ -}}
{{- define "agentplane.pluck" -}}
{{- $out := list -}}
{{- range .list -}}{{- $out = append $out (get . $.field) -}}{{- end -}}
{{- toJson $out -}}
{{- end -}}

{{- define "agentplane.pairs" -}}
{{- $out := list -}}
{{- range $key, $value := . -}}{{- $out = append $out (printf "%s=%s" $key $value) -}}{{- end -}}
{{- toJson $out -}}
{{- end -}}

{{- define "agentplane.merged" -}}
{{- $out := dict -}}
{{- range . -}}
{{- range $key, $value := . -}}{{- if not (hasKey $out $key) -}}{{- $_ := set $out $key $value -}}{{- end -}}{{- end -}}
{{- end -}}
{{- toJson $out -}}
{{- end -}}
