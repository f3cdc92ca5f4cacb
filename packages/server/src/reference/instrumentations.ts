import { COLUMNS, type Column, INSTRUMENTATIONS, type Instrumentation } from '../ingest/otlp/instrumentations/index.ts'
import type { MappingSection } from './opentelemetry-mapping.ts'

const HEADS: Readonly<Record<Column, string>> = {
  messages: 'messages',
  tools: 'tools offered',
  toolRuns: 'tools run',
  model: 'model',
  tokens: 'tokens',
  cached: 'cached',
  reasoning: 'reasoning',
  cost: 'cost',
  error: 'errors',
  firstToken: 'first token',
  thread: 'thread',
  user: 'user',
  metadata: 'metadata',
}

/** The sections of `docs/reference/instrumentations.md`, from the table that the tests of instrumentations compare runs with. */
export function instrumentationSections(): readonly MappingSection[] {
  return [{ text: INTRODUCTION }, ...languageSections('JavaScript'), ...languageSections('Python'), { text: PROOFS }]
}

const INTRODUCTION = [
  'Instrumentations that run against the server in tests, with what arrives of each field. [Which attribute becomes which',
  'field](opentelemetry-mapping.md) is a list of its own; [Send OpenTelemetry spans](../guides/opentelemetry.md) has the setup.',
  '',
  '- **exact**: the run has what the program, the model or the provider sent.',
  '- **derived**: the server reads it from other data: a cost from [the prices](../guides/model-prices.md), tokens from the answer of the provider.',
  '- **partly**: on some of the runs; the note has the reason.',
  '- **not sent**: the instrumentation does not send it.',
  '- An empty cell: the program of the test does not make it.',
  '',
  'The tree and the types of the runs are compared in every row with a program or a recorded request.',
].join('\n')

const PROOFS = [
  'A row with a program runs the published packages against the built server: `e2e/clients/otel/instrumented.*` with `npm test`,',
  '`e2e/clients/otel/frameworks` with `npm run test:full`. A recorded request is what the exporter of this program sent;',
  'it is mapped and compared on each change. Other rows name their suites.',
].join('\n')

function languageSections(language: Instrumentation['language']): MappingSection[] {
  const rows = INSTRUMENTATIONS.filter((row) => row.language === language)
  return [
    { text: `## ${language}` },
    {
      head: ['instrumentation', 'packages', ...COLUMNS.map((column) => HEADS[column])],
      rows: rows.map(({ name, packages, cells }) => [
        name,
        packages.map((one) => `\`${one}\``).join('<br>'),
        ...COLUMNS.map((column) => cells[column] ?? ''),
      ]),
    },
    {
      head: ['instrumentation', 'proof', 'note'],
      rows: rows.map((row) => [row.name, describeProof(row), row.note ?? '']),
    },
  ]
}

function describeProof({ program, recorded, suites = [] }: Instrumentation): string {
  return [
    ...(program === undefined ? [] : [`program \`${program}\``]),
    ...(recorded === undefined ? [] : ['recorded request']),
    ...suites.map((suite) => `[${suite.replace(/^.*\/(?=[^/]+\/)/, '')}](../../${suite})`),
  ].join(', ')
}
