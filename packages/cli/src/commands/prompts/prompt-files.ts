import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { REPO_HANDLE } from '@touchstone/contract'
import { isRecord } from '@touchstone/formats/guards'
import { type Client, NotFoundError, type Prompt } from '@touchstone/sdk'
import { diffArrays } from 'diff'
import { UsageError } from '../../exit-codes.ts'
import { removeControlCharacters } from '../../output.ts'

/** A prompt as stored in a file. Its name is the name of the file, so a renamed file is another prompt. */
export interface PromptFile {
  description: string
  readme: string
  tags: readonly string[]
  /** Hash of the commit of the manifest; absent before the first commit. */
  commit?: string | undefined
  /** Absent before the first commit. */
  manifest?: Readonly<Record<string, unknown>> | undefined
}

const MEMBERS = ['description', 'readme', 'tags', 'commit', 'manifest']

/** The prompt name of a file. @throws UsageError when it is not a valid prompt name */
export function getPromptName(path: string): string {
  const name = basename(path, '.json')
  if (REPO_HANDLE.test(name)) return name
  throw new UsageError(`${path}: "${name}" is not a valid prompt name; names match ${REPO_HANDLE.source}`)
}

/** The file of a prompt. @throws UsageError for a name that could lead out of the folder */
export function toPromptPath(folder: string, name: string): string {
  if (REPO_HANDLE.test(name)) return join(folder, `${name}.json`)
  throw new UsageError(`"${name}" is not a valid file name.`)
}

/** The text of a prompt file: descriptive members first, then the manifest with its members in the committed order. */
export function formatPromptFile({ description, readme, tags, commit, manifest }: PromptFile): string {
  return `${JSON.stringify({ description, readme, tags, commit, manifest }, null, 2)}\n`
}

/**
 * Reads a prompt file.
 *
 * @returns `undefined` when there is no file
 * @throws UsageError when it is not a prompt file
 */
export async function readPromptFile(path: string): Promise<PromptFile | undefined> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined
    throw new UsageError(`Cannot read ${path}: ${cause.message}`, { cause })
  })
  return text === undefined ? undefined : parsePromptFile(path, text)
}

export async function writePromptFile(path: string, prompt: PromptFile): Promise<void> {
  await writeFile(path, formatPromptFile(prompt))
}

function parsePromptFile(path: string, text: string): PromptFile {
  const file = parseObject(text)
  if (file === undefined) throw new UsageError(`${path} is not a JSON object.`)
  const invalid = (problem: string) => new UsageError(`${path}: ${problem}`)
  const { description = '', readme = '', tags = [], commit, manifest } = file
  const unknown = Object.keys(file).find((member) => !MEMBERS.includes(member))
  if (unknown !== undefined) throw invalid(`"${unknown}" is not one of ${MEMBERS.join(', ')}.`)
  if (typeof description !== 'string' || typeof readme !== 'string') {
    throw invalid('description and readme must be strings.')
  }
  if (!Array.isArray(tags) || tags.some((tag) => typeof tag !== 'string')) {
    throw invalid('tags must be a list of strings.')
  }
  if (commit !== undefined && !(typeof commit === 'string' && commit.length >= 8)) {
    throw invalid('commit must be a hash.')
  }
  if (manifest !== undefined && !isRecord(manifest)) throw invalid('the manifest must be a JSON object.')
  assertSafeIntegers(path, manifest)
  return { description, readme, tags, commit, manifest }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** @throws UsageError for an integer that JavaScript cannot represent exactly, because it would be pushed as another one */
function assertSafeIntegers(source: string, manifest: unknown): void {
  JSON.stringify(manifest, (_, value) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)) return value
    throw new UsageError(`${source}: ${value} has more digits than can be stored exactly; make it a string.`)
  })
}

/** Reads a prompt of the server in the form of a file, with the manifest as it was committed. */
export async function readStoredPrompt(client: Client, prompt: Prompt, version?: string): Promise<PromptFile> {
  const { description, readme, tags } = prompt
  const details = { description: description ?? '', readme: readme ?? '', tags }
  const commit =
    version === undefined ? await findNewestCommit(client, prompt) : await getCommit(client, prompt, version)
  if (commit === undefined) return details
  assertSafeIntegers(prompt.repo_handle, commit.manifest)
  return { ...details, commit: commit.commit_hash, manifest: commit.manifest }
}

async function findNewestCommit(client: Client, { repo_handle, num_commits }: Prompt) {
  if (num_commits === 0) return undefined
  for await (const commit of client.listCommits(repo_handle, { limit: 1 })) return commit
  return undefined
}

async function getCommit(client: Client, { repo_handle }: Prompt, version: string) {
  const { commit_hash } = await client.pullPromptCommit(`${repo_handle}:${version}`, { skipCache: true })
  for await (const commit of client.listCommits(repo_handle)) if (commit.commit_hash === commit_hash) return commit
  throw new NotFoundError(`Commit ${commit_hash} of "${repo_handle}" no longer exists.`)
}

interface DiffSide {
  label: string
  /** Absent for a prompt that does not exist yet. */
  prompt: PromptFile | undefined
}

/** The changes between two prompts as a diff with headers; empty when they are equal. */
export function formatPromptDiff(before: DiffSide, after: DiffSide): string {
  const [oldText, newText] = [before.prompt, after.prompt].map((prompt) => (prompt ? formatPromptFile(prompt) : ''))
  const diff = formatDiff(oldText ?? '', newText ?? '')
  if (diff === '') return ''
  return [`--- ${before.label}`, `+++ ${after.label}`, ...diff.split('\n')].map(removeControlCharacters).join('\n')
}

/** Above this number of changed lines, both texts are printed completely: an exact diff would take too long. */
const MAX_CHANGED_LINES = 2000
const CONTEXT_LINES = 3

/** Changed lines with three lines of context; `…` stands for omitted lines. Empty when nothing changed. */
export function formatDiff(before: string, after: string): string {
  const lines = diffLines(before, after)
  const isNearChange = (index: number) =>
    lines.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1).some((line) => !line.startsWith(' '))
  const printed: string[] = []
  for (const [index, line] of lines.entries()) {
    if (isNearChange(index)) printed.push(line)
    else if (printed.length > 0 && printed.at(-1) !== '…') printed.push('…')
  }
  if (printed.at(-1) === '…') printed.pop()
  return printed.join('\n')
}

/** All lines of both texts with a sign: ` ` for unchanged, `-` for removed and `+` for added lines. */
export function diffLines(before: string, after: string): string[] {
  const [oldLines, newLines] = [splitLines(before), splitLines(after)]
  const parts = diffArrays(oldLines, newLines, { maxEditLength: MAX_CHANGED_LINES })
  if (!parts) return [...oldLines.map((line) => `-${line}`), ...newLines.map((line) => `+${line}`)]
  return parts.flatMap(({ value, added, removed }) => {
    const sign = added ? '+' : removed ? '-' : ' '
    return value.map((line) => `${sign}${line}`)
  })
}

function splitLines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}
