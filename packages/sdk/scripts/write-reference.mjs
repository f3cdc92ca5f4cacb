// Writes docs/reference/sdk.md from the published declarations and the table of nouns. Arguments: the path of the page, and the
// folder of a build, whose declarations are read instead of those of the sources.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const page = resolve(process.argv[2] ?? join(root, '../../docs/reference/sdk.md'))

/** Guides by noun, relative to the page. */
const GUIDES = {
  runs: 'tracing-typescript',
  sql: 'sql',
  agents: 'agents',
  server: 'self-hosting',
  workspaces: 'accounts',
  apiKeys: 'accounts',
  accounts: 'accounts',
  members: 'accounts',
  serverAdmins: 'accounts',
  backups: 'backup',
  retention: 'deletion',
  feedback: 'reviewing',
  feedbackConfigs: 'feedback-configs',
  evaluators: 'evaluators',
  datasets: 'datasets',
  datasetVersions: 'datasets',
  datasetFiles: 'datasets',
  datasetSearch: 'datasets',
  datasetShares: 'datasets',
  examples: 'datasets',
  experiments: 'experiments',
  experimentViews: 'experiments',
  comparativeExperiments: 'experiments',
  annotationQueues: 'reviewing',
  annotationReviews: 'reviewing',
  bulkJobs: 'bulk-jobs',
  prompts: 'prompts',
  promptCommits: 'prompts',
  promptEnvironments: 'prompts',
  promptWebhooks: 'prompts',
  hubDirectories: 'prompts',
}

const COMMENT = /\/\*\*(?:(?!\*\/)[\s\S])*\*\//
/** A comment, or a member from its indentation of four spaces to the end of its last line. */
const MEMBER =
  / {4}\/\*\*(?:(?!\*\/)[\s\S])*\*\/| {4}[^\s/}][^\n]*(?<!;)(?:\n(?! {4}[^\s}])[^\n]*)*;$| {4}[^\s/}][^\n]*;$/gm

const built = process.argv[3]
const declarations = built ?? mkdtempSync(join(tmpdir(), 'sdk-declarations-'))
try {
  if (built === undefined) emitDeclarations()
  writeFileSync(page, formatPage())
} finally {
  if (built === undefined) rmSync(declarations, { recursive: true })
}

function emitDeclarations() {
  const tsc = join(root, '../../node_modules/typescript/bin/tsc')
  const config = join(root, 'tsconfig.build.json')
  execFileSync(process.execPath, [tsc, '-p', config, '--outDir', declarations], { stdio: 'inherit' })
}

function formatPage() {
  const sections = [
    formatSection('Tracing', 'tracing/tracing-client', 'TracingClient', 'tracing-typescript'),
    ...listNouns().map(({ noun, className, module }) =>
      formatSection(toTitle(noun), `resources/${module}`, className, GUIDES[noun]),
    ),
    formatSection('Share links', 'public-client', 'PublicClient'),
    formatSection('Shared datasets', 'public-dataset-client', 'PublicDatasetClient'),
  ]
  return `${[
    '# TypeScript SDK',
    '<!-- Written by scripts/write-reference.mjs; change the code and run it. -->',
    [
      'All calls of `Client`, by noun. Each takes `CallOptions` (`signal`, `timeoutMs`, `maxRetries`) as its last argument, which is',
      'omitted here. The [package page](../../packages/sdk/README.md) describes entry points, options and delivery.',
    ].join('\n'),
    ...sections,
  ].join('\n\n')}\n`
}

/** The table of nouns, with the module of each class. */
function listNouns() {
  const text = readFileSync(join(root, 'src/resources/nouns.ts'), 'utf8')
  const modules = new Map()
  for (const [, names, module] of text.matchAll(/^import \{ ([^}]*) \} from '\.\/(.*)\.ts'$/gm)) {
    for (const name of names.split(', ')) modules.set(name, module)
  }
  return Array.from(text.matchAll(/^ {2}(\w+): (\w+),$/gm), ([, noun, className]) => {
    return { noun, className, module: modules.get(className) }
  })
}

function formatSection(title, module, className, guide) {
  const { doc, members } = readClass(join(declarations, `${module}.d.ts`), className)
  const rows = members.map(({ signature, doc }) => `| ${toCode(signature)} | ${inTable(firstSentence(doc))} |`)
  return [
    `## ${title}`,
    [doc, ...(guide ? [`Guide: [${guide}](../guides/${guide}.md).`] : [])].filter(Boolean).join(' '),
    ['| call | description |', '| --- | --- |', ...rows].join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** Doc comment and public members of a class in a printed declaration file. */
function readClass(file, className) {
  const text = readFileSync(file, 'utf8')
  const pattern = new RegExp(
    `(${COMMENT.source}\\n)?export declare (?:abstract )?class ${className} [^\\n]*\\n([\\s\\S]*?)\\n}`,
  )
  const [, comment = '', body] = pattern.exec(text)
  const members = []
  let doc = ''
  for (const [found] of body.matchAll(MEMBER)) {
    if (found.startsWith('    /**')) {
      doc = toText(found)
      continue
    }
    const signature = found.replaceAll(/\s+/g, ' ').trim().replace(/;$/, '')
    if (!/^(#|private|protected|constructor|readonly|set )/.test(signature)) members.push({ signature, doc })
    doc = ''
  }
  return { doc: toText(comment), members }
}

/** The text of a doc comment up to its first tag, on one line. */
function toText(comment) {
  const lines = comment.replace(/^\s*\/\*\*/, '').replace(/\*\/\s*$/, '')
  const text = lines.replaceAll(/^\s*\* ?/gm, '')
  return text
    .split(/(?:^|\n)\s*@/)[0]
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function firstSentence(text) {
  return /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? text
}

/** A signature as code in a cell of a table, without the options that every call takes. */
function toCode(signature) {
  const shown = signature.replace(/(, )?\w+\?: CallOptions\)/, ')').replaceAll(' | undefined', '')
  return `\`${inTable(shown)}\``
}

function inTable(text) {
  return text.replaceAll('|', '\\|')
}

function toTitle(noun) {
  if (noun === 'sql') return 'SQL'
  const words = noun.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`).replace(/^api /, 'API ')
  return words[0].toUpperCase() + words.slice(1)
}
