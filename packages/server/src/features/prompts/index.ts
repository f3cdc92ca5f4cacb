import { eq } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { promptRepos } from '../../storage/relational/tables/prompts.ts'
import { countRepos } from './store.ts'

export {
  promptCommits,
  promptCommitTags,
  promptRepos,
  promptTagMoves,
  type RepoRow,
  type TagMoveRow,
} from '../../storage/relational/tables/prompts.ts'
export { checkText } from './check-repo.ts'
export { createRepo } from './create-repo.ts'
export { deleteRepos } from './delete-repos.ts'
export { findOwnRepo, findRepo, isForeign, type RepoPath } from './find-repo.ts'
export { fullName, presentRepo } from './present.ts'
export { promptRoutes } from './routes.ts'
export { type RepoView, selectRepoById, selectRepoForUpdate, updateRepo } from './store.ts'

/** How many repos of all types a workspace has, archived ones among them. */
export function countOwnRepos({ relational }: Pick<Deps, 'relational'>, tenantId: string): Promise<number> {
  return countRepos(relational.db, eq(promptRepos.tenant_id, tenantId))
}
