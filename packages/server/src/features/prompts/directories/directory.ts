import { ApiError } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/caller.ts'
import { splitMembers } from '../../../json/cut-json.ts'
import { getOwnRepo, getRepo, type RepoPath, type RepoView } from '../index.ts'

type Rows = Pick<Deps, 'relational'>

/**
 * An agent or skill that the caller may read.
 *
 * @param type  which of both; absent, either
 * @throws ApiError NOT_FOUND, also for a prompt of that name
 */
export async function getDirectory(
  deps: Rows,
  caller: Caller | undefined,
  path: RepoPath,
  type?: 'agent' | 'skill',
): Promise<RepoView> {
  return assertDirectory(await getRepo(deps, caller, path), type)
}

/** @throws ApiError NOT_FOUND; FORBIDDEN for a public one of another workspace */
export async function getOwnDirectory(deps: Rows, caller: Caller, path: RepoPath): Promise<RepoView> {
  return assertDirectory(await getOwnRepo(deps, caller, path))
}

function assertDirectory(view: RepoView, type?: 'agent' | 'skill'): RepoView {
  const { repo_type } = view.row
  const isOne = type === undefined ? repo_type === 'agent' || repo_type === 'skill' : repo_type === type
  if (!isOne) throw new ApiError('NOT_FOUND', 'Repository not found')
  return view
}

/** The tree of a commit as its manifest keeps it; both are JSON text. */
export const toManifest = (files: string): string => `{"files":${files}}`

/** The files in a manifest, as the text of an object by path. */
export const readFiles = (manifest: string): string => splitMembers(manifest).get('files') ?? '{}'
