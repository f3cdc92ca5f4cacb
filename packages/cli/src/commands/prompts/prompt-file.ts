import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { REPO_HANDLE } from '@touchstone/contract'
import { UsageError } from '../../flags.ts'

/** A prompt as a file has it: the name is that of the file, so a renamed file is another prompt. */
export interface PromptFile {
  description: string
  readme: string
  tags: readonly string[]
  /** Hash of the commit that the manifest is; absent before the first. */
  commit?: string | undefined
  /** Absent where nothing was ever committed. */
  manifest?: Readonly<Record<string, unknown>> | undefined
}

const MEMBERS = ['description', 'readme', 'tags', 'commit', 'manifest']

/** The name of the prompt in a file. @throws UsageError when it could not be the name of one */
export function promptName(path: string): string {
  const name = basename(path, '.json')
  if (REPO_HANDLE.test(name)) return name
  throw new UsageError(`${path}: "${name}" is no name of a prompt; those match ${REPO_HANDLE.source}`)
}

/** Where a prompt is kept. @throws UsageError for a name that could lead out of the folder */
export function promptPath(folder: string, name: string): string {
  if (REPO_HANDLE.test(name)) return join(folder, `${name}.json`)
  throw new UsageError(`"${name}" is no name of a file.`)
}

/** The text of a prompt: what people read first, then the manifest in the order in which it was committed. */
export function printPrompt({ description, readme, tags, commit, manifest }: PromptFile): string {
  return `${JSON.stringify({ description, readme, tags, commit, manifest }, null, 2)}\n`
}

/** @returns `undefined` where there is no file @throws UsageError when it is no prompt */
export async function readPrompt(path: string): Promise<PromptFile | undefined> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined
    throw new UsageError(`Cannot read ${path}: ${cause.message}`, { cause })
  })
  return text === undefined ? undefined : parsePrompt(path, text)
}

export async function writePrompt(path: string, prompt: PromptFile): Promise<void> {
  await writeFile(path, printPrompt(prompt))
}

function parsePrompt(path: string, text: string): PromptFile {
  const file = objectIn(path, text)
  const wrong = (what: string) => new UsageError(`${path}: ${what}`)
  const { description = '', readme = '', tags = [], commit, manifest } = file
  const unknown = Object.keys(file).find((member) => !MEMBERS.includes(member))
  if (unknown !== undefined) throw wrong(`"${unknown}" is none of ${MEMBERS.join(', ')}.`)
  if (typeof description !== 'string' || typeof readme !== 'string') throw wrong('description and readme are texts.')
  if (!Array.isArray(tags) || tags.some((tag) => typeof tag !== 'string')) throw wrong('tags are a list of texts.')
  if (commit !== undefined && !(typeof commit === 'string' && commit.length >= 8)) throw wrong('commit is a hash.')
  if (manifest !== undefined && !isObject(manifest)) throw wrong('the manifest is a JSON object.')
  keepsItsNumbers(path, manifest)
  return { description, readme, tags, commit, manifest }
}

function objectIn(path: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    if (isObject(value)) return value
  } catch {
    // said below
  }
  throw new UsageError(`${path} is not a JSON object.`)
}

/** @throws UsageError when a number has more digits than JavaScript keeps: it would come back as another */
export function keepsItsNumbers(what: string, manifest: unknown): void {
  JSON.stringify(manifest, (_, value) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)) return value
    throw new UsageError(`${what}: ${value} has more digits than this keeps; make it a text.`)
  })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
