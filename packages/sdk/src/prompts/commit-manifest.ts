import type { CallOptions } from '../config/client-config.ts'
import { APIError, ConflictError } from '../errors.ts'
import type { CommitTag, ListedPromptCommit } from '../schemas.ts'
import type { Transport } from '../transport/transport.ts'
import { type PromptIdentifier, repoPath } from './identifier.ts'
import { promptLink } from './ownership.ts'

export interface CreateCommitParams {
  /** Hash of the parent commit. Absent or `latest`: the newest commit. */
  parentCommitHash?: string | undefined
  /** Commit tags to move to this commit, e.g. `production`. */
  tags?: string | string[] | undefined
  /** At most 1000 characters. */
  description?: string | undefined
}

/**
 * Commits a manifest to an existing prompt, then moves tags to the commit.
 *
 * @returns the web page of the commit
 */
export async function commitManifest(
  transport: Transport,
  identifier: PromptIdentifier,
  object: unknown,
  { parentCommitHash, tags = [], description }: CreateCommitParams,
  options: CallOptions,
): Promise<string> {
  const repo = repoPath(identifier)
  const isLatest = !parentCommitHash || parentCommitHash === 'latest'
  const parent = isLatest ? (await newestCommit(transport, repo, options))?.commit_hash : parentCommitHash
  // LangChain prompts serialize themselves with `toJSON` when the body is sent.
  const body = { manifest: object, parent_commit: parent, description }
  const { id, commit_hash } = await postCommit(transport, repo, body, options)
  await Promise.all([tags].flat().map((tag) => tagCommit(transport, repo, tag, id, options)))
  return await promptLink(transport, { ...identifier, commit: commit_hash })
}

type Commit = Pick<ListedPromptCommit, 'id' | 'commit_hash'>

interface CommitBody {
  manifest: unknown
  parent_commit: string | undefined
  description: string | undefined
}

async function postCommit(transport: Transport, repo: string, body: CommitBody, options: CallOptions): Promise<Commit> {
  const call = { method: 'POST', path: `/commits/${repo}`, body, doing: 'create commit', ...options } as const
  let isRepeated = false
  const onFailure = (_: unknown, next: { isRetried: boolean }) => {
    isRepeated ||= next.isRetried
  }
  try {
    const answer = await transport.json<{ commit?: Commit } & Partial<Commit>>({ ...call, onFailure })
    return answer.commit ?? (answer as Commit)
  } catch (error) {
    if (!isRepeated || !(error instanceof ConflictError)) throw error
    // The conflict may be with the commit of the previous attempt, whose response was lost.
    const newest = await newestCommit(transport, repo, options)
    if (newest && isOf(newest, body)) return newest
    throw error
  }
}

function isOf({ manifest, parent_commit_hash }: ListedPromptCommit, body: CommitBody): boolean {
  const { parent_commit } = body
  const follows = parent_commit ? parent_commit_hash?.startsWith(parent_commit) : !parent_commit_hash
  return follows === true && JSON.stringify(manifest) === JSON.stringify(body.manifest)
}

/** Tags a commit. An existing tag is moved. */
export async function tagCommit(
  transport: Transport,
  repo: string,
  tagName: string,
  commitId: string,
  options: CallOptions,
): Promise<CommitTag> {
  const body = { tag_name: tagName, commit_id: commitId }
  return await transport.json({
    method: 'POST',
    path: `/repos/${repo}/tags`,
    body,
    doing: 'create commit tag',
    ...options,
  })
}

/** `undefined` before the first commit. */
async function newestCommit(
  transport: Transport,
  repo: string,
  options: CallOptions,
): Promise<ListedPromptCommit | undefined> {
  const query = { limit: 1, offset: 0 }
  const call = { method: 'GET', path: `/commits/${repo}/`, query, doing: DOING, ...options } as const
  try {
    const { commits } = await transport.json<{ commits: ListedPromptCommit[] }>(call)
    return commits[0]
  } catch (error) {
    throw error instanceof APIError ? inItsWords(error) : error
  }
}

const DOING = 'get latest commit hash'

/** Changes the message to `Error STATUS: STATUSTEXT`, followed by the server's detail on the next line. */
function inItsWords(error: APIError): APIError {
  const [, statusText, body] =
    /^Failed to get latest commit hash\. Received status \[\d+\]: (.*?)\. Message: (.*)$/s.exec(error.message) ?? []
  if (body === undefined) return error
  error.message = `Error ${error.status}: ${statusText}\n${detailOf(body)}`
  return Object.assign(error, { statusCode: error.status })
}

function detailOf(body: string): string {
  try {
    const answer = JSON.parse(body)
    const detail = answer?.detail ?? answer
    return typeof detail === 'string' ? detail : JSON.stringify(detail)
  } catch {
    return body
  }
}
