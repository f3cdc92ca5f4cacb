import { env } from '../config/env.ts'
import { builtin } from '../runtime/runtime.ts'
import type { Example, KVMap } from '../schemas.ts'

/** Metadata of a new experiment: the caller's own, the state of the code, and the dataset version. */
export async function collectExperimentMetadata(
  given: KVMap | undefined,
  examples: readonly Example[],
  numRepetitions: number,
): Promise<KVMap> {
  const git = await readGitInfo()
  const revision_id = env('REVISION_ID')
  const splits = collectSplits(examples)
  return {
    ...(revision_id && { revision_id }),
    ...given,
    ...(git && { git }),
    num_repetitions: numRepetitions,
    ...findDatasetVersion(examples),
    ...(splits.length > 0 && { dataset_splits: splits }),
  }
}

/** Time of the newest change among the examples: reading the dataset at this version returns the same examples. */
function findDatasetVersion(examples: readonly Example[]): { dataset_version?: string } {
  const newest = Math.max(...examples.map(({ modified_at }) => (modified_at ? Date.parse(modified_at) : Number.NaN)))
  return Number.isNaN(newest) ? {} : { dataset_version: new Date(newest).toISOString() }
}

function collectSplits(examples: readonly Example[]): string[] {
  const splits = examples.flatMap(({ metadata }) => metadata?.dataset_split ?? [])
  return [...new Set(splits.filter((split) => typeof split === 'string'))].sort()
}

/** State of the git checkout. Names and email addresses of people are left out on purpose. */
interface GitInfo {
  remote_url?: string | undefined
  commit?: string | undefined
  branch?: string | undefined
  commit_time?: string | undefined
  tags?: string | undefined
  dirty?: boolean | undefined
}

/** `undefined` outside a checkout, without git, and in runtimes that cannot start processes. */
export async function readGitInfo(): Promise<GitInfo | undefined> {
  const commit = await git('rev-parse', 'HEAD')
  if (!commit) return undefined
  const [remote, branch, commit_time, tags, status] = await Promise.all([
    git('remote', 'get-url', 'origin'),
    git('rev-parse', '--abbrev-ref', 'HEAD'),
    git('log', '-1', '--format=%cI'),
    git('describe', '--tags', '--exact-match', '--always', '--dirty'),
    git('status', '--porcelain'),
  ])
  const remote_url = remote && withoutCredentials(remote)
  return { remote_url, commit, branch, commit_time, tags, dirty: status === undefined ? undefined : status !== '' }
}

function withoutCredentials(url: string): string {
  return url.replace(/^(\w+:\/\/)[^/@]*@/, '$1')
}

function git(...args: string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const execFile = builtin('node:child_process')?.execFile
    if (!execFile) return resolve(undefined)
    try {
      execFile('git', args, { timeout: 5000, windowsHide: true }, (error, output) =>
        resolve(error ? undefined : String(output).trim()),
      )
    } catch {
      // Some runtimes have the module but refuse to start processes.
      resolve(undefined)
    }
  })
}
