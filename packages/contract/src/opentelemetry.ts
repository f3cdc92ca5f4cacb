import { z } from 'zod'
import { BODY_LIMITS, describeRoutes } from './route.ts'
import * as routes from './routes.ts'

/** The answer to an export in JSON; in protobuf it is the message of the same name. */
export const ExportResponse = z.object({
  partialSuccess: z
    .object({
      rejectedSpans: z.string().optional(),
      rejectedLogRecords: z.string().optional(),
      rejectedDataPoints: z.string().optional(),
      errorMessage: z.string().optional(),
    })
    .optional(),
})

const exported = {
  bodyType: 'application/x-protobuf',
  maxBodyBytes: BODY_LIMITS.telemetry,
  answer: ExportResponse,
} as const

export const openTelemetryRoutes = describeRoutes(routes.openTelemetry, 'opentelemetry', {
  traces: { ...exported, summary: 'Record OpenTelemetry spans, as protobuf or OTLP JSON' },
  tracesShort: { ...exported, summary: 'The same, for exporters that do not append the path of the signal' },
  logs: { ...exported, extension: true, summary: 'Lay log records of generative AI onto the runs of their spans' },
  metrics: { ...exported, extension: true, summary: 'Answer exporters of metrics, which are counted and not stored' },
  tracesOfLangfuse: {
    ...exported,
    extension: true,
    acceptsBasic: true,
    summary: 'Record spans of the Langfuse SDKs; the secret key of Basic authentication is an API key of this server',
  },
})
