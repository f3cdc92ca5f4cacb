import type { StallCase, StallIds } from './case.ts'

/** The most expensive filter texts, by the reason for their cost. */
const FILTERS: Readonly<Record<string, string>> = {
  '100,000 names in a list': `in(name, [${listed(100_000)}])`,
  '5,000 names in a list': `in(name, [${listed(5_000)}])`,
  '5,000 names not in a list': `nin(name, [${listed(5_000)}])`,
  '5,000 metadata values': `in(metadata_value, [${listed(5_000)}])`,
  '5,000 numbers as metadata values': `in(metadata_value, [${numbered(5_000)}])`,
  '5,000 values of a key of metadata': `and(eq(metadata_key, "user"), in(metadata_value, [${listed(5_000)}]))`,
  '5,000 values at a path of inputs': `in(inputs.question, [${listed(5_000)}])`,
  '5,000 values of outputs': `in(output_value, [${listed(5_000)}])`,
  '5,000 whole inputs': `in(inputs, [${listed(5_000)}])`,
  '5,000 tags': `in(tags, [${listed(5_000)}])`,
  '5,000 attachments': `in(attachments, [${listed(5_000)}])`,
  '5,000 datasets': `in(reference_dataset_id, [${ids(5_000)}])`,
  '5,000 ids': `in(id, [${ids(5_000)}])`,
  '5,000 scores': `in(feedback_score, [${numbered(5_000)}])`,
  '5,000 totals': `in(total_tokens, [${numbered(5_000)}])`,
  '100 names in a list': `in(name, [${listed(100)}])`,
  '100 metadata values': `in(metadata_value, [${listed(100)}])`,
  '300 searches': `or(${repeated(300, (at) => `search("word${at}")`)})`,
  '250 searches': `or(${repeated(249, (at) => `search("word${at}")`)})`,
  '38 searches': `or(${repeated(38, (at) => `search("word${at}")`)})`,
  '29 searches': `or(${repeated(29, (at) => `search("word${at}")`)})`,
  '100,000 words': `search("${repeated(100_000, (at) => `w${at}`).replaceAll(',', ' ')}")`,
  '50 words of another script': `search("${repeated(50, (at) => `é${at}`).replaceAll(',', ' ')}")`,
  '249 names': `or(${repeated(249, (at) => `eq(name, "n${at}")`)})`,
  '249 patterns': `or(${repeated(249, (at) => `like(inputs, "%a${at}%b%")`)})`,
  '29 patterns': `or(${repeated(29, (at) => `like(inputs, "%a${at}%b%")`)})`,
  '100 totals': `and(${repeated(100, (at) => `gt(total_tokens, ${at})`)})`,
  '29 totals': `and(${repeated(29, (at) => `gt(total_tokens, ${at})`)})`,
  '120 entries of inputs': `or(${repeated(120, (at) => `eq(input_value, ${at})`)})`,
  '240 feedback keys': `and(${repeated(120, (at) => `or(eq(feedback_key, "k${at}"))`)})`,
  '100 levels of not': `${'not('.repeat(99)}eq(name, "x")${')'.repeat(99)}`,
  '100,000 levels of not': 'not('.repeat(100_000),
  '400,000 brackets': '('.repeat(400_000),
  '400,000 commas': ','.repeat(400_000),
  '200,000 empty strings': `in(name, [${Array(160_000).fill("''").join(',')}])`,
  '200,000 escapes': `eq(name, "${'\\\\'.repeat(200_000)}")`,
  'a string of 400,000 that never ends': `eq(name, "${'x'.repeat(400_000)}`,
  'a pattern of 400,000 signs': `like(name, "${'%a'.repeat(200_000)}")`,
  'a key of 400,000 dots': `eq(metadata.${'a.'.repeat(200_000)}a, 1)`,
  'a number of 400,000 digits': `gt(latency, ${'9'.repeat(400_000)})`,
  'JSON of 30,000 pairs': `has(metadata, '{${repeated(30_000, (at) => `"k${at}":${at}`)}}')`,
  'JSON of 100,000 levels': `has(inputs, '${'{"a":'.repeat(80_000)}1${'}'.repeat(80_000)}')`,
}

/** Filters within the limits of readers without a key. */
const PUBLIC = ['100 names in a list', '100 metadata values', '29 searches', '29 patterns', '29 totals'] as const
/** Filters that are rejected before they reach an engine. */
const REFUSED = [
  '100,000 names in a list',
  '5,000 metadata values',
  '300 searches',
  '100,000 levels of not',
  '400,000 commas',
  'JSON of 30,000 pairs',
] as const

const json = (body: unknown) => JSON.stringify(body)

function member(name: string, path: string, body: (ids: StallIds) => unknown): StallCase {
  const headers = { 'content-type': 'application/json' }
  return { name, caller: 'member', method: 'POST', path: () => path, headers, body: (ids) => json(body(ids)) }
}

function anybody(name: string, path: (ids: StallIds) => string, body: (ids: StallIds) => unknown): StallCase {
  const headers = { 'content-type': 'application/json' }
  return { name, caller: 'public', method: 'POST', path, headers, body: (ids) => json(body(ids)) }
}

/** Every filter as a condition of the list of runs, and the most expensive one on all other routes with a filter. */
const ofMembers: readonly StallCase[] = [
  ...Object.entries(FILTERS).map(([name, filter]) =>
    member(`runs query: ${name}`, '/api/v1/runs/query', ({ sessionId }) => ({
      session: [sessionId],
      filter,
      limit: 10,
    })),
  ),
  ...(['5,000 metadata values', '38 searches', '249 patterns'] as const).flatMap((name) => [
    member(`stats: ${name}`, '/api/v1/runs/stats', ({ sessionId }) => ({
      session: [sessionId],
      filter: FILTERS[name],
    })),
    member(`grouped stats: ${name}`, '/api/v1/runs/stats', ({ sessionId }) => ({
      session: [sessionId],
      filter: FILTERS[name],
      group_by: { attribute: 'name' },
    })),
    member(`trace and tree filters: ${name}`, '/api/v1/runs/query', ({ sessionId }) => ({
      session: [sessionId],
      trace_filter: FILTERS[name],
      tree_filter: FILTERS[name],
    })),
    member(`v2 threads: ${name}`, '/api/v2/threads/query', ({ sessionId }) => ({
      project_id: sessionId,
      filter: FILTERS[name],
    })),
  ]),
  member('validate: 100,000 names in a list', '/api/v1/runs/query/validate', () => ({
    filter: FILTERS['100,000 names in a list'],
  })),
  member('runs query: 20,000 ids', '/api/v1/runs/query', () => ({ id: Array(20_000).fill('no id') })),
  member('runs query: 10,000 ids', '/api/v1/runs/query', () => ({ id: JSON.parse(`[${ids(10_000)}]`) })),
  member('v2 threads: 200 clauses', '/api/v2/threads/query', ({ sessionId }) => ({
    project_id: sessionId,
    thread_filter: `or(${repeated(200, (at) => `gt(total_cost, ${at})`)})`,
  })),
]

const ofAnybody: readonly StallCase[] = [...PUBLIC, ...REFUSED].flatMap((name) => {
  const filter = FILTERS[name]
  const body = () => ({ filter })
  return [
    anybody(`shared run: ${name}`, (ids) => `/api/v1/public/${ids.publicRunToken}/runs/query`, body),
    anybody(
      `shared experiments: ${name}`,
      (ids) => `/api/v1/public/${ids.publicDatasetToken}/datasets/runs/query`,
      body,
    ),
    anybody(`shared stats: ${name}`, (ids) => `/api/v1/public/${ids.publicDatasetToken}/datasets/runs/stats`, body),
  ]
})

/** The most expensive requests with filters and lists of ids. */
export const worstFilters: readonly StallCase[] = [...ofMembers, ...ofAnybody]

function repeated(count: number, make: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => make(at)).join(',')
}

function listed(count: number): string {
  return repeated(count, (at) => `"v ' ${at}"`)
}

function numbered(count: number): string {
  return repeated(count, (at) => `${at}.5`)
}

function ids(count: number): string {
  return repeated(count, (at) => `"00000000-0000-4000-8000-${String(at).padStart(12, '0')}"`)
}
