import type { PlainRoutes } from '../route.ts'

export const openTelemetry = {
  traces: { method: 'POST', path: '/otel/v1/traces', access: 'write', errors: 'otlp' },
  tracesShort: { method: 'POST', path: '/otel', access: 'write', errors: 'otlp' },
  logs: { method: 'POST', path: '/otel/v1/logs', access: 'write', errors: 'otlp' },
  metrics: { method: 'POST', path: '/otel/v1/metrics', access: 'write', errors: 'otlp' },
  tracesOfLangfuse: {
    method: 'POST',
    path: '/api/public/otel/v1/traces',
    family: 'root',
    access: 'write',
    errors: 'otlp',
  },
} as const satisfies PlainRoutes
