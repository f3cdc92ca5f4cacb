import { isRecord, type JsonRecord } from '@touchstone/formats/guards'
import { findPublicSchemaByUrl } from '../public-schemas.ts'
import { appendPointer, schemaError } from './check.ts'

/** A schema with its own address, and the names inside it. */
export interface Resource {
  readonly uri: string
  readonly root: unknown
  /** Draft 7 and older: `$ref` excludes other keywords, and keywords of later drafts are ignored. */
  readonly isOld: boolean
  readonly anchors: Map<string, JsonRecord>
  readonly dynamicAnchors: Map<string, JsonRecord>
}

const DIALECTS: ReadonlyMap<string, { readonly isOld: boolean }> = new Map([
  ['https://json-schema.org/draft/2020-12/schema', { isOld: false }],
  ['https://json-schema.org/draft/2019-09/schema', { isOld: false }],
  ['http://json-schema.org/draft-07/schema', { isOld: true }],
  ['http://json-schema.org/draft-06/schema', { isOld: true }],
])

const SINGLE_SCHEMA_KEYWORDS = [
  'not',
  'if',
  'then',
  'else',
  'additionalProperties',
  'additionalItems',
  'propertyNames',
  'contains',
]
const SINGLE_SCHEMA_KEYWORDS_SINCE_2019 = ['unevaluatedItems', 'unevaluatedProperties', 'contentSchema']
const SCHEMA_LIST_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const SCHEMA_MAP_KEYWORDS = [
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]

/** Base of a schema without an address; nothing is fetched from it. */
const DEFAULT_BASE = 'schema://dataset/'

/** The resources of a dataset's schema and of the public schemas that it references. */
export class Resources {
  readonly main: Resource
  /** Whether any schema depends on the members that others evaluated. */
  tracks = false
  private readonly byUri = new Map<string, Resource>()
  private readonly ofNode = new Map<object, Resource>()

  constructor(root: unknown) {
    this.main = this.open(root, DEFAULT_BASE)
  }

  /** The resource of a schema. */
  of(node: JsonRecord): Resource {
    return this.ofNode.get(node) ?? this.main
  }

  /**
   * Finds the target of a reference.
   *
   * @throws ApiError INVALID_REQUEST unless it is in the schema or a public schema; nothing is fetched
   */
  resolve(reference: string, from: Resource, pointer: string): { node: unknown; resource: Resource; anchor?: string } {
    const [address = '', fragment = ''] = splitOnce(reference, '#')
    const resource = address === '' ? from : this.find(resolveUri(address, from.uri))
    const name = decode(fragment)
    const found =
      resource && (name === '' || name.startsWith('/') ? this.walk(resource, name) : this.named(resource, name))
    if (found !== undefined) return found
    throw schemaError(pointer, `the reference ${reference} cannot be resolved; nothing is fetched from other places`)
  }

  private find(uri: string): Resource | undefined {
    const known = this.byUri.get(uri)
    if (known !== undefined) return known
    const schema = findPublicSchemaByUrl(uri)
    return schema && this.open(schema, uri)
  }

  private named(resource: Resource, name: string) {
    const node = resource.anchors.get(name)
    return node && { node, resource: this.of(node), anchor: name }
  }

  private walk(resource: Resource, pointer: string) {
    let node: unknown = resource.root
    let holder = resource
    for (const part of pointer.split('/').slice(1)) {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
      if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return undefined
      node = (node as JsonRecord)[key]
      if (isRecord(node)) holder = this.ofNode.get(node) ?? holder
    }
    // It may be below an unknown keyword, which `index` skipped.
    if (isRecord(node) && !this.ofNode.has(node)) this.index(node, holder, pointer)
    return { node, resource: isRecord(node) ? this.of(node) : holder }
  }

  private open(root: unknown, uri: string): Resource {
    const resource = newResource(root, uri, isOld(root, undefined))
    this.byUri.set(uri, resource)
    this.index(root, resource, '')
    return isRecord(root) ? this.of(root) : resource
  }

  /**
   * Indexes schemas with an address or a name, only at positions of schemas: data such as `const` may look like one.
   */
  private index(node: unknown, within: Resource, pointer: string): void {
    if (!isRecord(node) || this.ofNode.has(node)) return
    const resource = this.enter(node, within, pointer)
    this.ofNode.set(node, resource)
    const visit = (inner: unknown, ...keys: (string | number)[]) =>
      this.index(inner, resource, keys.reduce(appendPointer, pointer) as string)
    for (const key of resource.isOld
      ? SINGLE_SCHEMA_KEYWORDS
      : [...SINGLE_SCHEMA_KEYWORDS, ...SINGLE_SCHEMA_KEYWORDS_SINCE_2019])
      visit(node[key], key)
    for (const key of [...SCHEMA_LIST_KEYWORDS, 'items']) {
      const list = node[key]
      if (Array.isArray(list)) for (const [index, item] of list.entries()) visit(item, key, index)
    }
    visit(node.items, 'items')
    for (const key of SCHEMA_MAP_KEYWORDS) {
      const named = node[key]
      if (isRecord(named)) for (const [name, inner] of Object.entries(named)) visit(inner, key, name)
    }
    if ('unevaluatedItems' in node || 'unevaluatedProperties' in node) this.tracks = true
  }

  private enter(node: JsonRecord, within: Resource, pointer: string): Resource {
    let resource = within
    const id = node.$id
    const ignoresId = within.isOld && '$ref' in node
    if (typeof id === 'string' && !ignoresId) {
      const [address = '', fragment = ''] = splitOnce(id, '#')
      if (address !== '') {
        const uri = resolveUri(address, within.uri)
        resource = newResource(node, uri, isOld(node, within, pointer))
        this.byUri.set(uri, resource)
      }
      if (fragment !== '') resource.anchors.set(fragment, node)
    }
    if (typeof node.$anchor === 'string') resource.anchors.set(node.$anchor, node)
    if (typeof node.$dynamicAnchor === 'string') {
      resource.anchors.set(node.$dynamicAnchor, node)
      resource.dynamicAnchors.set(node.$dynamicAnchor, node)
    }
    if (node.$recursiveAnchor === true) resource.dynamicAnchors.set('', node)
    return resource
  }
}

function newResource(root: unknown, uri: string, old: boolean): Resource {
  return { root, uri, isOld: old, anchors: new Map(), dynamicAnchors: new Map() }
}

function isOld(root: unknown, within: Resource | undefined, pointer = ''): boolean {
  const named = isRecord(root) ? root.$schema : undefined
  if (named === undefined) return within?.isOld ?? false
  const dialect = typeof named === 'string' ? DIALECTS.get(named.replace(/#$/, '')) : undefined
  if (dialect !== undefined) return dialect.isOld
  const known = [...DIALECTS.keys()].join(', ')
  throw schemaError(
    appendPointer(pointer, '$schema'),
    `${JSON.stringify(named)} is not among the drafts offered: ${known}`,
  )
}

function splitOnce(text: string, by: string): string[] {
  const at = text.indexOf(by)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

function resolveUri(address: string, base: string): string {
  return URL.canParse(address, base) ? new URL(address, base).href : address
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
