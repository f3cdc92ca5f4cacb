import { allRoutes, mountedPaths, openApiDocument, type Route } from '@touchstone/contract'

/** The part of JSON Schema that the contract is printed in. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly minimum?: number
  readonly minItems?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema | false
  readonly prefixItems?: readonly Schema[]
  readonly additionalProperties?: Schema | boolean
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

/** A value that a caller sends: `body` stands for the field of a JSON body with that name, at any depth. */
export interface Field {
  readonly place: 'path' | 'query' | 'body'
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
}

/** A route with everything that a caller may send to it. */
export interface CallableRoute {
  readonly route: Route
  /** Its fullest path, parameters as `{name}`. */
  readonly template: string
  readonly parameters: readonly Field[]
  readonly body: Schema | undefined
}

export interface GeneratedRequest {
  readonly method: string
  readonly path: string
  readonly body: unknown
}

/** A value for a field, or undefined to leave an optional field out and give a required one a plain value. */
export type Fill = (field: Field) => unknown

interface Operation {
  readonly parameters: readonly { in: 'path' | 'query'; name: string; required: boolean; schema: Schema }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

/** Every route of the contract with its parameters and body. */
export function callableRoutes(): CallableRoute[] {
  const { paths } = openApiDocument({ version: '0' }) as { paths: Record<string, Record<string, Operation>> }
  return allRoutes().map((route) => {
    const template = mountedPaths(route).at(-1)!
    const { parameters, requestBody } = paths[template]![route.method.toLowerCase()]!
    return {
      route,
      template,
      parameters: parameters.map((parameter) => ({
        place: parameter.in,
        name: parameter.name,
        schema: parameter.schema,
        isRequired: parameter.required,
      })),
      body: requestBody?.content['application/json']?.schema,
    }
  })
}

/** Every field of a route that holds text, bodies included, by name. */
export function textFields({ parameters, body }: CallableRoute): Field[] {
  const found: Field[] = parameters.filter(({ schema }) => holdsText(schema))
  const names = new Set<string>()
  collectTextFields(body, 'body', true, (field) => {
    if (!names.has(field.name)) found.push(field)
    names.add(field.name)
  })
  return found
}

/** A request whose required fields are filled, and those optional ones that `fill` has a value for. */
export function generateRequest(called: CallableRoute, fill: Fill): GeneratedRequest {
  const { route, template, parameters, body } = called
  let path = template
  const query = new URLSearchParams()
  for (const field of parameters) {
    const value = fill(field) ?? (field.isRequired ? plainValue(field.schema) : undefined)
    if (field.place === 'path') path = path.replace(`{${field.name}}`, encodeURIComponent(String(value ?? 'x')))
    else if (value !== undefined) query.append(field.name, String(value))
  }
  const search = query.size > 0 ? `?${query}` : ''
  return { method: route.method, path: path + search, body: body && buildValue(body, 'body', true, fill) }
}

/** Whether a schema takes a string, also as one of several forms or in a list. */
export function holdsText(schema: Schema | undefined): boolean {
  if (schema === undefined) return false
  if ([schema.type].flat().includes('string')) return true
  if (schema.items && holdsText(schema.items)) return true
  return alternatives(schema).some(holdsText)
}

function buildValue(schema: Schema, name: string, isRequired: boolean, fill: Fill): unknown {
  const form = mainForm(schema)
  if (form.properties !== undefined) {
    const entries = Object.entries(form.properties).map(([key, value]) => {
      const needed = form.required?.includes(key) ?? false
      return [key, buildValue(value, key, needed, fill)] as const
    })
    const given = entries.filter(([, value]) => value !== undefined)
    return given.length > 0 || isRequired ? Object.fromEntries(given) : undefined
  }
  if (form.items) {
    const item = buildValue(form.items, name, isRequired, fill)
    if (item !== undefined) return [item]
    return isRequired ? [] : undefined
  }
  const value = fill({ place: 'body', name, schema: form, isRequired })
  return value ?? (isRequired ? plainValue(form) : undefined)
}

function plainValue(schema: Schema): unknown {
  const form = mainForm(schema)
  const type = [form.type].flat()[0]
  if (form.const !== undefined) return form.const
  if (form.enum !== undefined) return form.enum[0]
  if (form.format === 'date-time') return '2026-01-01T00:00:00.000000Z'
  if (form.format === 'uuid') return '01900000-0000-7000-8000-000000000000'
  if (type === 'integer' || type === 'number') return Math.max(1, form.minimum ?? 1)
  if (type === 'boolean') return false
  if (type === 'array' || form.prefixItems) return []
  if (type === 'object') return {}
  return 'text'
}

function collectTextFields(
  schema: Schema | undefined,
  name: string,
  isRequired: boolean,
  visit: (field: Field) => void,
): void {
  if (schema === undefined) return
  const form = mainForm(schema)
  for (const [key, value] of Object.entries(form.properties ?? {})) {
    collectTextFields(value, key, form.required?.includes(key) ?? false, visit)
  }
  if (form.items) collectTextFields(form.items, name, isRequired, visit)
  else if (form.properties === undefined && holdsText(form)) visit({ place: 'body', name, schema: form, isRequired })
}

const alternatives = ({ anyOf = [], oneOf = [], allOf = [] }: Schema): readonly Schema[] => [
  ...anyOf,
  ...oneOf,
  ...allOf,
]

/** The first form that is not null: `{anyOf: [{type: 'string'}, {type: 'null'}]}` is a string. */
function mainForm(schema: Schema): Schema {
  if (schema.type !== undefined && schema.type !== 'null') return schema
  const [first] = alternatives(schema).filter(({ type }) => type !== 'null')
  return first === undefined ? schema : mainForm(first)
}
