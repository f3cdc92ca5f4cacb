import { z } from 'zod'
import * as routes from '../routes.ts'
import { BODY_LIMITS, describeRoutes } from '../wire/route.ts'

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

/** Ids of OpenTelemetry: hex digits, or the number that they print, as OpenLLMetry sends them. */
const spanParams = z.object({
  trace_id: z.string().regex(/^(?:[\da-fA-F]{32}|\d{1,39})$/),
  span_id: z.string().regex(/^(?:[\da-fA-F]{16}|\d{1,20})$/),
})
const ImageName = z.string().min(1).max(200)

const createdImage = {
  extension: true,
  summary: 'Get the URL to which OpenLLMetry uploads an image of a span, and which stands for it in the messages',
  params: spanParams,
  body: z.object({ image_name: ImageName }),
  answer: z.object({ url: z.string() }),
} as const
const uploadedImage = {
  extension: true,
  summary: 'Store an image in base64 as an attachment of the run of a span, which may come later',
  params: spanParams.extend({ name: ImageName }),
  maxBodyBytes: 'configured',
  body: z.object({ image_data: z.string() }),
} as const

/** The first 22 characters of the SHA-256 of a file, in base64 for URLs. */
const mediaParams = z.object({ media_id: z.string().regex(/^[\w-]{22}$/) })

/** A file of a Langfuse SDK; `traceId` and `observationId` are the ids of a trace and a span. */
export const LangfuseMedia = z.object({
  contentType: z.string().regex(/^[\x21-\x7e]{1,200}$/),
  contentLength: z.int().min(1),
  /** In base64. */
  sha256Hash: z.string().regex(/^[A-Za-z\d+/]{43}=$/),
  field: z.string().max(100).nullish(),
  traceId: z
    .string()
    .regex(/^[\da-fA-F]{32}$/)
    .nullish(),
  observationId: z
    .string()
    .regex(/^[\da-fA-F]{16}$/)
    .nullish(),
})

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
  createImage: createdImage,
  createImageShort: { ...createdImage, summary: 'The same, for an endpoint without a path' },
  uploadImage: uploadedImage,
  uploadImageShort: { ...uploadedImage, summary: 'The same, for an endpoint without a path' },
  createMedia: {
    extension: true,
    acceptsBasic: true,
    summary: 'Announce a file in the messages of a Langfuse SDK; without an `uploadUrl` its bytes are known already',
    body: LangfuseMedia,
    status: 201,
    answer: z.object({ mediaId: z.string(), uploadUrl: z.string().nullable() }),
  },
  uploadMedia: {
    extension: true,
    summary: 'Store the bytes of a file of a Langfuse SDK as an attachment, until its signed URL expires',
    params: z.object({ token: z.string() }),
    maxBodyBytes: 'configured',
  },
  updateMedia: {
    extension: true,
    acceptsBasic: true,
    summary: 'Accept the report of a Langfuse SDK about its upload, of which nothing is stored',
    params: mediaParams,
    body: z.looseObject({ uploadHttpStatus: z.int().optional() }),
  },
  readMedia: {
    extension: true,
    acceptsBasic: true,
    summary: 'A signed URL of a file of a Langfuse SDK',
    params: mediaParams,
    answer: z.object({
      mediaId: z.string(),
      contentType: z.string(),
      contentLength: z.int(),
      uploadedAt: z.string(),
      url: z.string(),
      urlExpiry: z.string(),
    }),
  },
})
