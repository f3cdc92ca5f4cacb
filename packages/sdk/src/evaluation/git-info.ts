import { builtin } from '../runtime/builtins.ts'

/** Where the code of an experiment stands. No names and no addresses of people: they are nobody's business here. */
export interface GitInfo {
  remote_url?: string | undefined
  commit?: string | undefined
  branch?: string | undefined
  commit_time?: string | undefined
  tags?: string | undefined
  dirty?: boolean | undefined
}

/** `undefined` outside a checkout, without git, and where programs cannot be started. */
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
      // Runtimes that know the module may still refuse to start anything.
      resolve(undefined)
    }
  })
}
