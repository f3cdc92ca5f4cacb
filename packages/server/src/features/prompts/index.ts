export {
  promptCommits,
  promptCommitTags,
  promptRepos,
  promptTagMoves,
  type RepoRow,
  type TagMoveRow,
} from '../../storage/relational/tables/prompts.ts'
export { deleteRepos } from './change-repo.ts'
export { assertStorableText } from './check-repo.ts'
export { createRepo } from './create-repo.ts'
export { getOwnRepo, getRepo, isForeign, type RepoPath } from './get-repo.ts'
export { fullName, presentRepo } from './present.ts'
export { promptRoutes } from './routes.ts'
export { countOwnRepos, type RepoView, selectRepoById, selectRepoForUpdate, updateRepo } from './store.ts'
