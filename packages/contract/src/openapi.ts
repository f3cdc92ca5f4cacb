import { z } from 'zod'
import { allRoutes } from './contract.ts'
import { ERRORS } from './wire/errors.ts'
import { mountedPaths, type Route } from './wire/route.ts'

export interface OpenApiOptions {
  /** Version of the server. */
  readonly version: string
  /** Where the API is reached. @default the origin of the document */
  readonly serverUrl?: string
}

/**
 * The contract as an OpenAPI 3.1 document. Each route stands at its fullest path; the other aliases are listed in
 * `x-touchstone-aliases`, and routes that public clients do not know carry `x-touchstone-extension`.
 * `x-touchstone-max-body-bytes` is the limit of the body; `configured` stands for TOUCHSTONE_MAX_BODY_BYTES.
 */
export function openApiDocument({ version, serverUrl = '/' }: OpenApiOptions): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of allRoutes()) {
    const path = mountedPaths(route).at(-1)!
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Touchstone',
      version,
      summary: 'Trace LLM applications, evaluate them and share prompts.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    security: [{ key: [] }, { bearer: [] }],
    tags: [...new Set(allRoutes().map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
      responses: { Failure: failure },
    },
  }
}

function operation(route: Route): Record<string, unknown> {
  const aliases = mountedPaths(route).slice(0, -1)
  return {
    operationId: operationId(route),
    summary: route.summary,
    tags: [route.tag],
    ...(route.access === 'public' && { security: [] }),
    ...(route.access === 'optional' && { security: [{ key: [] }, { bearer: [] }, {}] }),
    ...(route.deprecated && { deprecated: true }),
    ...(route.extension && { 'x-touchstone-extension': true }),
    ...((route.body !== undefined || route.bodyType !== undefined) && {
      'x-touchstone-max-body-bytes': route.maxBodyBytes,
    }),
    ...(aliases.length > 0 && { 'x-touchstone-aliases': aliases }),
    parameters: [...parameters(route.params, 'path'), ...parameters(route.query, 'query')],
    ...requestBody(route),
    responses: {
      [route.status]: {
        description: 'Success',
        ...(route.answer && { content: { 'application/json': { schema: schemaOf(route.answer, 'output') } } }),
      },
      default: { $ref: '#/components/responses/Failure' },
    },
  }
}

/** `GET /runs/{run_id}` as `getRunsByRunId`. */
function operationId({ method, path, family }: Route): string {
  const words = path.split('/').flatMap((part) => (part.startsWith('{') ? ['by', part.slice(1, -1)] : [part]))
  const prefix = family === 'v1' || family === 'root' ? [] : [family]
  return [method.toLowerCase(), ...prefix, ...words]
    .flatMap((word) => word.split(/[^a-z0-9]+/i))
    .filter((word) => word !== '')
    .map((word, at) => (at === 0 ? word : word[0]!.toUpperCase() + word.slice(1)))
    .join('')
}

function parameters(schema: z.ZodType | undefined, place: 'path' | 'query') {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = schemaOf(schema, 'input')
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }))
}

function requestBody(route: Route) {
  if (route.body !== undefined) {
    return {
      requestBody: { required: true, content: { 'application/json': { schema: schemaOf(route.body, 'input') } } },
    }
  }
  if (route.bodyType === undefined) return {}
  return { requestBody: { required: true, content: { [route.bodyType]: { schema: { type: 'object' } } } } }
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): ObjectSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-2020-12' })
  return rest as ObjectSchema
}

const statuses = [...new Set(Object.values(ERRORS).map(({ status }) => status))].sort((a, b) => a - b)

const failure = {
  description: `Failure (${statuses.join(', ')}). 429 and 503 carry Retry-After. Ingest routes use \`error\` in place of \`detail\`, v2 routes RFC 7807.`,
  headers: { 'x-request-id': { schema: { type: 'string' } } },
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: {
          detail: {
            description: 'A sentence, or the fields at fault.',
            anyOf: [
              { type: 'string' },
              {
                type: 'array',
                items: {
                  type: 'object',
                  properties: {
                    loc: { type: 'array', items: { type: ['string', 'integer'] } },
                    msg: { type: 'string' },
                    type: { type: 'string' },
                  },
                },
              },
            ],
          },
          error: { type: 'string' },
          request_id: { type: 'string' },
        },
      },
    },
  },
}
