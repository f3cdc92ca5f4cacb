import {
  allRoutes,
  ERRORS,
  FILTER_LIMITS,
  FILTER_OPERATORS,
  mountedPaths,
  PUBLIC_FILTER_LIMITS,
  RUN_FILTER_FIELDS,
} from '@touchstone/contract'
import { SETTINGS, type Setting, TASK_FLAGS } from '../settings.ts'
import { instrumentationSections } from './instrumentations.ts'
import { mappingSections } from './opentelemetry-mapping.ts'

/** Generated pages of `docs/reference` by file name; a test compares them with the files. */
export function referencePages(): Record<string, string> {
  return {
    'errors.md': errorsPage(),
    'settings.md': settingsPage(),
    'endpoints.md': endpointsPage(),
    'filters.md': filtersPage(),
    'opentelemetry-mapping.md': mappingPage(),
    'instrumentations.md': instrumentationsPage(),
  }
}

const WRITTEN = '<!-- Written by scripts/write-reference.mjs; change the code and run it. -->'

function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(([code, { status, retry, message }]) => [
    `\`${code}\``,
    String(status),
    retry ? 'yes, after `Retry-After` seconds' : 'no',
    message,
  ])
  return page('Errors', [
    'All errors of requests. The message is the default; most answers contain a more specific one.',
    table(['code', 'status', 'retry', 'message'], rows),
    [
      'Bodies: `{"detail": …}` with a message or the list of invalid fields; routes that record runs `{"error": …, "details"?: …}`;',
      'v2 routes RFC 7807. Each also contains `request_id`, the same as in the `x-request-id` header and in the log.',
    ].join('\n'),
  ])
}

function settingsPage(): string {
  const settings: readonly Setting<unknown>[] = Object.values(SETTINGS)
  const rows = settings.map(({ env, flag, otherwise, defaultText, description }) => [
    `\`${env}\``,
    flag ? `\`--${flag}\`` : '',
    defaultText ?? printed(env, otherwise),
    description,
  ])
  return page('Settings', [
    'Read once at start; all mistakes are reported together. A flag overrides its variable. Sizes are bytes, or `512KB`, `20MB`, `1GB`.',
    table(['variable', 'flag', 'default', 'description'], rows),
    'Flags for a task instead of starting the server, besides `--help` and `--version`:',
    table(
      ['flag', 'description'],
      TASK_FLAGS.map(({ flag, value, description }) => [`\`--${flag} ${value}\``, description]),
    ),
  ])
}

function mappingPage(): string {
  const sections = mappingSections().map((section) =>
    'text' in section ? section.text : table(section.head, section.rows),
  )
  return page('OpenTelemetry mapping', [
    'How the attributes and events of a span become the fields of a run. In each list the first source with a value counts.',
    ...sections,
  ])
}

function instrumentationsPage(): string {
  return page(
    'Instrumentations',
    instrumentationSections().map((section) => ('text' in section ? section.text : table(section.head, section.rows))),
  )
}

function filtersPage(): string {
  const operators = FILTER_OPERATORS.map(({ form, doc, examples }) => [
    inTable(`\`${form}\``),
    inTable(doc),
    inTable(examples.map((example) => `\`${example}\``).join('<br>')),
  ])
  const fields = Object.entries(RUN_FILTER_FIELDS).map(([name, { type, doc }]) => [`\`${name}\``, type, inTable(doc)])
  return page('Filters', [
    [
      'A filter is one call, calls inside it. `filter` tests a run itself, `trace_filter` the root of its trace, `tree_filter` any run of its',
      'trace; a query may have all three. Text is in single or double quotes, fields are not. Times are ISO 8601, with quotes or without;',
      'durations are seconds or text such as `"200ms"`, `"5m"`. A mistake is answered with 400 and its position.',
    ].join('\n'),
    '## Operators',
    table(['form', 'finds', 'examples'], operators),
    '## Fields of runs',
    table(['field', 'type', 'what it is'], fields),
    [
      'Paths are fields too: `metadata.user_id`, `inputs.question`, `outputs.answer.score`, `extra.runtime.sdk`. Keys of nested objects are joined',
      'by dots, elements of lists have the key of the list. Values keep their JSON type, except that texts of',
      'numbers are numbers, because OpenTelemetry often sends them so: `gt(metadata.timeout, 10)` and `eq(metadata.timeout, 20)` find `20`, `"20"` and',
      '`"20.0"`. In quotes, a value is text: `eq(metadata.build, "1.10")` finds the text `"1.10"` and the number `1.1`, and not the text `"1.1"`.',
    ].join('\n'),
    '## Clauses on one entry',
    [
      '`metadata_key` and `metadata_value`, `input_*`, `output_*` and `feedback_*` describe one entry of many. In one `and` they',
      'refer to the same entry. A negative key clause alone means that no entry has such a key, a negative value clause alone that no entry',
      'has such a value. Two keys by equality in one `and` are two pairs, each with the values that follow it.',
    ].join('\n'),
    '## Words',
    [
      '`search` splits its text at all characters except letters and digits. Words of ASCII letters and digits are found as whole words, from an',
      'index; words with other letters also inside longer ones, because not every script separates words. Keys are not searched.',
      'One `search` takes up to 50 different words.',
    ].join('\n'),
    '## Numbers',
    [
      'Numbers are compared as 64-bit floats, costs as decimals of 18 places. Integers keep all their digits in payloads and metadata:',
      '`eq(metadata.order, 107505301260286111)` finds no `107505301260286110`, though both round to one float. A number outside the range of floats,',
      'such as `1e309`, is refused.',
    ].join('\n'),
    '## Limits',
    [
      'A larger filter is answered with 400, the limit and the actual value. Readers of a share link have lower limits. In addition,',
      'all filters of a query together may become 128 KiB of SQL (a `search` in ASCII is 3 KiB of it), `has(metadata, …)` takes up to 100 pairs,',
      'a body lists up to 10,000 ids, and a query may take `TOUCHSTONE_MAX_QUERY_SECONDS`, through a share link at most 10 seconds.',
    ].join('\n'),
    table(
      ['limit', 'with a key', 'by a share link'],
      [
        ['characters of the text', ...limitLines('length')],
        ['levels of nesting', ...limitLines('depth')],
        ['clauses, `and`, `or` and `not` included', ...limitLines('clauses')],
        ['values in all lists together', ...limitLines('values')],
      ],
    ),
    [
      'Through the link of a run, `POST /public/{share_token}/runs/query` takes `filter` and `search_filter` on the shared runs, by the fields that',
      'readers see: not `session_id`, `thread_id`, `in_dataset` or `reference_dataset_id`. `trace_filter` and `tree_filter` are not',
      'available, because they test runs that were not shared.',
    ].join('\n'),
  ])
}

function limitLines(limit: keyof typeof FILTER_LIMITS): string[] {
  return [FILTER_LIMITS, PUBLIC_FILTER_LIMITS].map((limits) => limits[limit].toLocaleString('en-US'))
}

const inTable = (text: string) => text.replaceAll('|', '\\|')

function endpointsPage(): string {
  const tags = [...new Set(allRoutes().map(({ tag }) => tag))]
  const sections = tags.map((tag) => {
    const rows = allRoutes()
      .filter((route) => route.tag === tag)
      .map((route) => [
        `\`${route.method} ${mountedPaths(route).at(-1)}\``,
        ACCESS[route.access],
        `${route.summary}${route.extension ? ' (extension)' : ''}${route.deprecated ? ' (deprecated)' : ''}`,
      ])
    return `## ${tag.charAt(0).toUpperCase()}${tag.slice(1)}\n\n${table(['call', 'needs', 'does'], rows)}`
  })
  return page('Endpoints', [
    [
      'Shapes are in `/openapi.json`. Paths with `/api/v1` also work without prefix, below `/v1` and below `/api`.',
      'Extensions are our own; the public clients do not use them.',
    ].join('\n'),
    ...sections,
  ])
}

const ACCESS = {
  key: 'a key or a sign-in',
  write: 'a key or a sign-in of a member',
  admin: 'a key or a sign-in of an admin',
  'server-admin': 'a key or a sign-in of a server administrator',
  public: 'nothing',
  optional: 'a key or a sign-in, or nothing for public data',
} as const

function page(title: string, parts: readonly string[]): string {
  return `# ${title}\n\n${WRITTEN}\n\n${parts.join('\n\n')}\n`
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n')
}

function printed(env: string, value: unknown): string {
  if (typeof value !== 'number' || !env.includes('BYTES')) return `\`${String(value)}\``
  return `\`${value / 1024 / 1024}MB\``
}
