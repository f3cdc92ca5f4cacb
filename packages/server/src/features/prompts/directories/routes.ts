import { ApiError, contract, type Directory } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { sendJsonWithEtag } from '../../../http/responses.ts'
import { type App, serve } from '../../../http/serve.ts'
import { addRawMembers } from '../../../json/write-object.ts'
import { getCommit, type HistoryDeps, readManifest } from '../commits/index.ts'
import { deleteRepos, isForeign } from '../index.ts'
import { commitFiles } from './commit-files.ts'
import { getDirectory, getOwnDirectory, readFiles } from './directory.ts'

export function hubDirectoryRoutes(app: App, deps: HistoryDeps & Pick<Deps, 'relational'>): void {
  const { hubDirectories } = contract

  serve(app, hubDirectories.read, async ({ caller, params, query, request, reply }) => {
    const view = await getDirectory(deps, caller, params, query.repo_type)
    const { id, commit_hash } = await getCommit(deps, view.row, query.commit)
    const is_foreign = isForeign(view, caller)
    return sendJsonWithEtag(request, reply, `${id}-files${is_foreign ? '-foreign' : ''}`, async () => {
      const manifest = await readManifest(deps, view.row.tenant_id, id)
      if (manifest === undefined) throw new ApiError('NOT_FOUND', 'Commit not found')
      const facts: Omit<Directory, 'files'> = { commit_id: id, commit_hash, is_foreign }
      return addRawMembers(facts, { files: readFiles(manifest) })
    })
  })

  serve(app, hubDirectories.commit, async ({ caller, params, body, bodyText }) => {
    const { id, commit_hash, created_at } = await commitFiles(deps, caller, params, { body, bodyText })
    return { commit: { id, commit_hash, created_at } }
  })

  serve(app, hubDirectories.delete, async ({ caller, params, reply }) => {
    const { row } = await getOwnDirectory(deps, caller, params)
    await deleteRepos(deps, caller, [row.id])
    return reply.code(204).send()
  })
}
