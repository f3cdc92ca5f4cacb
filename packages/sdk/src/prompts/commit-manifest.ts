import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { type APIError, ConflictError } from '../errors.ts'
import type { CommitTag, KVMap, ListedPromptCommit } from '../schemas.ts'
import { type Reply, toHttpError } from '../transport/http-error.ts'
import type { Transport } from '../transport/transport.ts'
import { type PromptIdentifier, toRepoParams } from './identifier.ts'
import { promptLink } from './prompt-metadata.ts'

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
  const isLatest = !parentCommitHash || parentCommitHash === 'latest'
  const parent = isLatest ? (await newestCommit(transport, identifier, options))?.commit_hash : parentCommitHash
  // LangChain prompts serialize themselves with `toJSON` when the body is sent.
  const body = { manifest: object as KVMap, parent_commit: parent, description }
  const { id, commit_hash } = await postCommit(transport, identifier, body, options)
  await Promise.all([tags].flat().map((tag) => tagCommit(transport, identifier, tag, id, options)))
  return await promptLink(transport, { ...identifier, commit: commit_hash })
}

type Commit = Pick<ListedPromptCommit, 'id' | 'commit_hash'>

interface CommitBody {
  manifest: KVMap
  parent_commit: string | undefined
  description: string | undefined
}

async function postCommit(
  transport: Transport,
  identifier: PromptIdentifier,
  body: CommitBody,
  options: CallOptions,
): Promise<Commit> {
  const request = { params: toRepoParams(identifier), body, doing: 'create commit', ...options }
  let isRepeated = false
  const onFailure = (_: unknown, next: { isRetried: boolean }) => {
    isRepeated ||= next.isRetried
  }
  try {
    const answer = await transport.call(routes.promptCommits.create, { ...request, onFailure })
    return answer.commit ?? (answer as unknown as Commit)
  } catch (error) {
    if (!isRepeated || !(error instanceof ConflictError)) throw error
    // The conflict may be with the commit of the previous attempt, whose response was lost.
    const newest = await newestCommit(transport, identifier, options)
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
  identifier: PromptIdentifier,
  tagName: string,
  commitId: string,
  { expectedCommitId, ...options }: CallOptions & { expectedCommitId?: string | null | undefined },
): Promise<CommitTag> {
  const body = { tag_name: tagName, commit_id: commitId, expected_commit_id: expectedCommitId }
  const request = { params: toRepoParams(identifier), body, doing: 'create commit tag', ...options }
  return await transport.call(routes.promptCommits.createTag, request)
}

/** `undefined` before the first commit. */
async function newestCommit(
  transport: Transport,
  identifier: PromptIdentifier,
  options: CallOptions,
): Promise<ListedPromptCommit | undefined> {
  const { commits } = await transport.call(routes.promptCommits.list, {
    params: toRepoParams(identifier),
    query: { limit: 1, offset: 0 },
    doing: 'get latest commit hash',
    toError: toStatusError,
    ...options,
  })
  return commits[0]
}

/** The error of the public client: `Error STATUS: STATUSTEXT`, then the detail of the answer on the next line. */
function toStatusError(doing: string, reply: Reply): APIError {
  const error = toHttpError(doing, reply)
  error.message = `Error ${reply.status}: ${reply.statusText}\n${readDetail(reply.text)}`
  return Object.assign(error, { statusCode: reply.status })
}

function readDetail(body: string): string {
  try {
    const answer = JSON.parse(body)
    const detail = answer?.detail ?? answer
    return typeof detail === 'string' ? detail : JSON.stringify(detail)
  } catch {
    return body
  }
}
