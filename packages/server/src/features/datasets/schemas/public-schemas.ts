import { ApiError } from '@touchstone/contract'

const DRAFT = 'http://json-schema.org/draft-07/schema#'

const toolCall = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    type: { const: 'function' },
    function: {
      type: 'object',
      properties: { name: { type: 'string' }, arguments: { type: 'string', description: 'JSON text' } },
      required: ['name', 'arguments'],
    },
  },
  required: ['id', 'type', 'function'],
}

const part = {
  type: 'object',
  properties: { type: { type: 'string' }, text: { type: 'string' } },
  required: ['type'],
}

/** One message of a conversation with a chat model. Providers add their own members. */
const message = {
  $schema: DRAFT,
  title: 'Message',
  type: 'object',
  properties: {
    role: { enum: ['system', 'developer', 'user', 'assistant', 'tool', 'function'] },
    content: { anyOf: [{ type: 'string' }, { type: 'array', items: part }, { type: 'null' }] },
    name: { type: 'string' },
    tool_calls: { type: 'array', items: toolCall },
    tool_call_id: { type: 'string' },
  },
  required: ['role'],
  additionalProperties: true,
}

/** A tool that a model may call. */
const tooldef = {
  $schema: DRAFT,
  title: 'Tool definition',
  type: 'object',
  properties: {
    type: { const: 'function' },
    function: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        description: { type: 'string' },
        parameters: { type: 'object', description: 'JSON Schema of the arguments' },
        strict: { type: ['boolean', 'null'] },
      },
      required: ['name'],
    },
  },
  required: ['type', 'function'],
  additionalProperties: true,
}

const SCHEMAS: ReadonlyMap<string, object> = new Map<string, object>([
  ['v1/message.json', message],
  ['v1/tooldef.json', tooldef],
])

/**
 * A JSON Schema that the schema of a dataset may reference.
 *
 * @throws ApiError NOT_FOUND
 */
export function getPublicSchema(version: string, file: string): object {
  const schema = SCHEMAS.get(`${version}/${file}`)
  if (schema === undefined) throw new ApiError('NOT_FOUND', 'Schema not found')
  return schema
}

/** The same by a URL on any host, as in references; undefined for other URLs. */
export function findPublicSchemaByUrl(url: string): object | undefined {
  const file = /\/public\/schemas\/(v\d+\/\w+\.json)$/.exec(url)?.[1]
  return file === undefined ? undefined : SCHEMAS.get(file)
}
