import { ApiError, type DirectoryEntry, REPO_HANDLE } from '@touchstone/contract'

const MAX_PATH = 1024
const MAX_PATHS = 10_000

/**
 * Programs write a tree to disk, so a path must not lead out of the folder it is written to, on any system.
 *
 * @throws ApiError INVALID_REQUEST naming the path
 */
export function checkFiles(files: Readonly<Record<string, DirectoryEntry | null>>): void {
  const entries = Object.entries(files)
  if (entries.length > MAX_PATHS) throw new ApiError('INVALID_REQUEST', `A commit changes at most ${MAX_PATHS} paths.`)
  for (const [path, entry] of entries) {
    if (!isInside(path)) {
      throw new ApiError(
        'INVALID_REQUEST',
        `Invalid path ${JSON.stringify(path.slice(0, 200))}: must be relative, without "..", "\\" and control characters.`,
      )
    }
    if (entry !== null && entry.type !== 'file' && !REPO_HANDLE.test(entry.repo_handle)) {
      throw new ApiError(
        'INVALID_REQUEST',
        `Invalid repo_handle "${entry.repo_handle.slice(0, 200).toWellFormed()}": must match /${REPO_HANDLE.source}/`,
      )
    }
  }
}

function isInside(path: string): boolean {
  if (path.length > MAX_PATH || FORBIDDEN.test(path)) return false
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const FORBIDDEN = /[\0-\x1f\x7f\\]|^[a-zA-Z]:|\p{Surrogate}/u
