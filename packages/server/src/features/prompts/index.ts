export {
  promptCommits,
  promptCommitTags,
  promptRepos,
  promptTagMoves,
  type RepoRow,
  type TagMoveRow,
} from '../../storage/relational/tables/prompts.ts'
export { createRepo, deleteRepos } from './change-repos.ts'
export { removeComments } from './comments.ts'
export { promptEnvironmentRoutes } from './environments.ts'
export { getOwnRepo, getRepo, isForeign, presentRepo, type RepoPath, toFullName } from './read-repos.ts'
export { promptRoutes } from './routes.ts'
export { countOwnRepos, getRepoById, type RepoView, removeLikes, selectRepoForUpdate, updateRepo } from './store.ts'
