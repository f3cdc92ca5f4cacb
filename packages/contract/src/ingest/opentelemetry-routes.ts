import type { PlainRoutes } from '../wire/route.ts'

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
  createImage: { method: 'POST', path: '/otel/v2/traces/{trace_id}/spans/{span_id}/images', access: 'write' },
  uploadImage: { method: 'POST', path: '/otel/v2/traces/{trace_id}/spans/{span_id}/images/{name}', access: 'write' },
  createImageShort: {
    method: 'POST',
    path: '/traces/{trace_id}/spans/{span_id}/images',
    family: 'v2',
    access: 'write',
  },
  uploadImageShort: {
    method: 'POST',
    path: '/traces/{trace_id}/spans/{span_id}/images/{name}',
    family: 'v2',
    access: 'write',
  },
  createMedia: { method: 'POST', path: '/api/public/media', family: 'root', access: 'write' },
  uploadMedia: { method: 'PUT', path: '/api/public/media/uploads/{token}', family: 'root', access: 'public' },
  updateMedia: { method: 'PATCH', path: '/api/public/media/{media_id}', family: 'root', access: 'write' },
  readMedia: { method: 'GET', path: '/api/public/media/{media_id}', family: 'root' },
} as const satisfies PlainRoutes
