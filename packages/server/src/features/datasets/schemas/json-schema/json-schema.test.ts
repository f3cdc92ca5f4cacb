import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { assertSchema, prepareExample } from '../index.ts'

/** What is wrong with a value, as `path: message`. */
function violationsOf(schema: object, value: unknown): string[] {
  const dataset = { inputs_schema: JSON.stringify(schema), outputs_schema: null, transformations: null }
  const { violations } = prepareExample(dataset, { inputs: JSON.stringify(value), outputs: null })
  return violations.map(({ path, message }) => `${path}: ${message}`)
}

const accepts = (schema: object, value: unknown) => violationsOf(schema, value).length === 0
const refusal = (schema: object | string) => () =>
  assertSchema(typeof schema === 'string' ? schema : JSON.stringify(schema))

describe('check a value against a JSON Schema', () => {
  it('reports the position of every violation', () => {
    const schema = {
      type: 'object',
      required: ['question'],
      properties: { 'a/b': { type: 'string' }, list: { items: { type: 'integer', minimum: 3 } } },
      additionalProperties: false,
    }
    expect(violationsOf(schema, { 'a/b': 1, list: [5, 'x', 2], more: null })).toEqual([
      '/inputs: must have the property "question"',
      '/inputs/a~1b: must be string',
      '/inputs/list/1: must be integer',
      '/inputs/list/2: must be at least 3',
      '/inputs/more: is not allowed',
    ])
  })

  it('agrees with another implementation on random schemas and values', () => {
    const random = randomOf(7)
    let compared = 0
    for (let at = 0; at < 150; at++) {
      const schema = { allOf: [inventSchema(random, 2)], $defs: { tree: TREE } }
      const expected = new Ajv2020({ strict: false, logger: false }).compile(schema)
      for (let of = 0; of < 12; of++) {
        const value = inventValue(random, 3)
        expect({ schema, value, accepts: accepts(schema, value) }).toEqual({ schema, value, accepts: expected(value) })
        compared++
      }
    }
    expect(compared).toBe(1800)
  })

  it.each([
    ['a whole float is an integer', { type: 'integer' }, 2.0, true],
    ['decimals are multiples as people reckon', { multipleOf: 0.0001 }, 0.0075, true],
    ['and otherwise not', { multipleOf: 0.0001 }, 0.00751, false],
    ['a character outside the basic plane is one', { maxLength: 2 }, '👍👍', true],
    ['equal whatever the order of keys', { const: { a: 1, b: [2] } }, { b: [2], a: 1 }, true],
    [
      'repeated items are found by value',
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      false,
    ],
    ['`format` is ignored', { format: 'email' }, 'unknown', true],
    ['keys like those of every object are not there', { required: ['toString'] }, {}, false],
    ['nor described by properties', { properties: { constructor: false } }, {}, true],
    [
      'what a branch that holds looked at is evaluated',
      { anyOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
      { a: 1 },
      true,
    ],
    [
      'not so what one that fails did',
      { anyOf: [{ properties: { a: {} }, required: ['b'] }, {}], unevaluatedProperties: false },
      { a: 1 },
      false,
    ],
    [
      'items of a branch that holds',
      { anyOf: [{ items: {} }, { prefixItems: [{}] }], unevaluatedItems: false },
      [1, 2],
      true,
    ],
    ['items that no branch looked at', { if: { prefixItems: [{ const: 1 }] }, unevaluatedItems: false }, [1, 2], false],
    ['a list that lacks what it should contain', { contains: { const: 1 }, prefixItems: [{}] }, [], false],
    ['or has too much of it', { contains: { const: 1 }, maxContains: 1 }, [1, 1], false],
    [
      'keys by pattern',
      { patternProperties: { '^n_': { type: 'number' } }, additionalProperties: false },
      { n_a: 'x' },
      false,
    ],
    ['a tuple of old drafts', { items: [{ type: 'string' }], additionalItems: false }, ['a', 1], false],
    [
      'in draft 7 nothing counts beside $ref',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        allOf: [{ $ref: '#/definitions/any', type: 'string' }],
        definitions: { any: {} },
      },
      1,
      true,
    ],
    [
      'which it does later',
      { allOf: [{ $ref: '#/definitions/any', type: 'string' }], definitions: { any: {} } },
      1,
      false,
    ],
    ['an anchor', { $ref: '#word', $defs: { one: { $anchor: 'word', type: 'string' } } }, 1, false],
    ['an id', { $ref: 'word.json', $defs: { one: { $id: 'word.json', type: 'string' } } }, 1, false],
    [
      'a pointer to where no schema usually stands',
      { $ref: '#/components/word', components: { word: { type: 'string' } } },
      1,
      false,
    ],
  ])('%s', (_, schema, value, expected) => {
    expect(accepts(schema, value)).toBe(expected)
  })

  it('resolves a dynamic reference where the schema is used', () => {
    const schema = {
      $id: 'https://example.com/strict-tree',
      $dynamicAnchor: 'node',
      $ref: 'tree',
      unevaluatedProperties: false,
      $defs: {
        tree: {
          $id: 'tree',
          $dynamicAnchor: 'node',
          type: 'object',
          properties: { data: true, children: { type: 'array', items: { $dynamicRef: '#node' } } },
        },
      },
    }
    expect(accepts(schema, { children: [{ data: 1 }] })).toBe(true)
    expect(accepts(schema, { children: [{ daat: 1 }] })).toBe(false)
  })

  it.each([
    'https://api.example.com/public/schemas/v1/message.json',
    'http://localhost:3000/api/public/schemas/v1/message.json',
  ])('resolves the schema of a message at %s without fetching it', ($ref) => {
    const schema = { properties: { messages: { type: 'array', items: { $ref } } } }
    expect(accepts(schema, { messages: [{ role: 'user', content: 'hi' }] })).toBe(true)
    expect(violationsOf(schema, { messages: [{ content: 'hi' }] })).toEqual([
      '/inputs/messages/0: must have the property "role"',
    ])
  })
})

describe('check a schema', () => {
  it.each([
    ['what is no JSON', '{', 'it is no JSON'],
    ['what is no object', '[]', 'it is no object'],
    ['a type that there is not', { type: 'text' }, 'at /type: "text" is not among'],
    [
      'a keyword of a wrong type',
      { properties: { a: { minimum: '3' } } },
      'at /properties/a/minimum: it must be a number',
    ],
    ['a name where names are expected', { required: 'a' }, 'at /required: it must be a list of strings'],
    ['a choice of nothing', { anyOf: [] }, 'at /anyOf: it must name at least one schema'],
    ['a reference to nothing', { $ref: '#/nowhere' }, 'at /$ref: the reference #/nowhere cannot be resolved'],
    ['a reference to the network', { items: { $ref: 'http://169.254.169.254/x' } }, 'at /items/$ref: the reference'],
    ['a draft from long ago', { $schema: 'http://json-schema.org/draft-03/schema#' }, 'not among the drafts offered'],
    ['what is no pattern', { pattern: '(' }, 'at /pattern: the pattern ( cannot be used'],
    ['a pattern with look-around', { pattern: '(?=a)' }, 'look-around'],
    ['a pattern that is long when it is written out', { patternProperties: { '(a{900}){900}': true } }, 'the pattern'],
    [
      'patterns that are long together',
      { allOf: Array.from({ length: 200 }, (_, at) => ({ pattern: `a{900}${at}` })) },
      'too large together',
    ],
    ['a schema that is too long', { description: 'x'.repeat(300_000) }, 'more than 262144 characters'],
    ['a schema that is too deep', `${'{"not":'.repeat(100)}true${'}'.repeat(100)}`, 'it nests more than 64 deep'],
  ])('rejects %s', (_, schema, message) => {
    expect(refusal(schema)).toThrow(message)
  })

  it('treats data that looks like a schema as data', () => {
    const schema = { const: { type: 'nonsense' }, enum: [{ $ref: 'nowhere' }], examples: [{ pattern: '(' }] }
    expect(refusal(schema)).not.toThrow()
  })
})

describe('a hostile schema', () => {
  it('with 2^40 checks is stopped by the budget', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`d${at}`, { allOf: Array(2).fill({ $ref: `#/$defs/d${at + 1}` }) }]),
    )
    const schema = { $ref: '#/$defs/d0', $defs: { ...$defs, d40: {} } }
    const before = process.cpuUsage()
    expect(violationsOf(schema, {})).toEqual(['/inputs: could not be checked: checking it takes too many steps'])
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5000)
  })

  it('with a pattern that blocks other engines is checked quickly', () => {
    const before = process.cpuUsage()
    expect(accepts({ properties: { a: { pattern: '^(a+)+$' } } }, { a: `${'a'.repeat(100_000)}!` })).toBe(false)
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5000)
  })

  it('with endless references is stopped', () => {
    expect(violationsOf({ anyOf: [{ $ref: '#' }] }, {})[0]).toMatch('could not be checked')
  })

  it('is stopped for a very deep value', () => {
    const inputs = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
    const schemas = [{ additionalProperties: { $ref: '#' } }, { uniqueItems: true, enum: [{}] }]
    for (const schema of schemas) {
      const dataset = { inputs_schema: JSON.stringify(schema), outputs_schema: null, transformations: null }
      expect(prepareExample(dataset, { inputs, outputs: null }).violations).toHaveLength(1)
    }
    const path = ['inputs', 'a']
    const transformations = JSON.stringify([{ transformation_type: 'convert_to_openai_message', path }])
    const dataset = { inputs_schema: null, outputs_schema: null, transformations }
    const deepNumber = inputs.replace('1', '1.0')
    expect(prepareExample(dataset, { inputs: deepNumber, outputs: null }).violations).toHaveLength(1)
  })
})

const TREE = {
  type: ['object', 'array', 'string'],
  properties: { a: { $ref: '#/$defs/tree' } },
  items: { $ref: '#/$defs/tree' },
}

type Random = () => number

/** Numbers from 0 to 1 that look random (mulberry32). */
function randomOf(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const pick = <Item>(random: Random, items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!

function inventValue(random: Random, depth: number): unknown {
  const inner = () => inventValue(random, depth - 1)
  const scalars = [0, 1, 2.5, -1, 1000, '', 'a', 'ab', '👍', true, false, null]
  const kind = depth === 0 ? 0 : random()
  if (kind < 0.4) return pick(random, scalars)
  if (kind < 0.7) return Array.from({ length: Math.floor(random() * 4) }, inner)
  return Object.fromEntries(['a', 'b', 'c', 'foo'].filter(() => random() < 0.5).map((key) => [key, inner()]))
}

/**
 * Without `contains`, which the other implementation takes for fulfilled by an empty list when `prefixItems` is there, and
 * without `unevaluated…`, where it counts what failing branches looked at.
 */
function inventSchema(random: Random, depth: number): object | boolean {
  if (random() < 0.05) return random() < 0.7
  const sub = () => (depth === 0 ? true : inventSchema(random, depth - 1))
  const keywords: (() => object)[] = [
    () => ({ type: pick(random, ['object', 'array', 'string', 'number', 'integer', 'null', 'boolean']) }),
    () => ({ type: ['object', pick(random, ['array', 'string'])] }),
    () => ({ const: inventValue(random, 1) }),
    () => ({ enum: [inventValue(random, 1), inventValue(random, 0)] }),
    () => ({ minimum: 1, exclusiveMaximum: pick(random, [3, 10]) }),
    () => ({ minLength: pick(random, [0, 1, 2]), maxLength: pick(random, [1, 2]) }),
    () => ({ pattern: pick(random, ['^a', 'b$', '\\d', '^[a-c]+$', '.']) }),
    () => ({ multipleOf: pick(random, [1, 2, 0.5]) }),
    () => ({ properties: { a: sub(), b: sub() } }),
    () => ({ patternProperties: { '^[ab]$': sub() } }),
    () => ({ additionalProperties: sub() }),
    () => ({ required: [pick(random, ['a', 'b', 'c'])] }),
    () => ({ propertyNames: { maxLength: 1 } }),
    () => ({ minProperties: 1, maxProperties: 3 }),
    () => ({ dependentSchemas: { a: sub() }, dependentRequired: { b: ['c'] } }),
    () => ({ items: sub() }),
    () => ({ prefixItems: [sub(), sub()] }),
    () => ({ minItems: 1, maxItems: 3, uniqueItems: random() < 0.5 }),
    () => ({ anyOf: [sub(), sub()] }),
    () => ({ oneOf: [sub(), sub()] }),
    () => ({ allOf: [sub(), sub()] }),
    () => ({ not: sub() }),
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    () => ({ if: sub(), then: sub(), else: sub() }),
    () => ({ $ref: '#/$defs/tree' }),
  ]
  return Object.assign({}, ...Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(random, keywords)()))
}
