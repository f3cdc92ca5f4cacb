export { checkText } from './check-repo.ts'
export { createRepo } from './create-repo.ts'
export { deleteRepos } from './delete-repos.ts'
export { findOwnRepo, findRepo, isForeign, type RepoPath } from './find-repo.ts'
export { fullName, presentRepo } from './present.ts'
export { promptRoutes } from './routes.ts'
export { type RepoView, selectRepoById, selectRepoForUpdate, updateRepo } from './store.ts'
export {
  promptCommits,
  promptCommitTags,
  promptRepos,
  promptTagMoves,
  type RepoRow,
  type TagMoveRow,
} from './tables.ts'
