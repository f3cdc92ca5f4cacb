export { comparativeStats } from './comparative-stats.ts'
export { feedbackConfigsOf, keysWithLowerBetter } from './configs.ts'
export { countFeedback, deleteFeedbackWhere } from './delete-feedback.ts'
export { feedbackOfRuns, type RunFeedback } from './feedback-of-runs.ts'
export type { FeedbackWrite, SubmitFeedback } from './feedback-row.ts'
export { type GivenFeedback, parseFeedback } from './normalize-feedback.ts'
export { prepareFeedback } from './prepare-feedback.ts'
export { listFeedback } from './read-feedback.ts'
export { feedbackRoutes } from './routes.ts'
export {
  type FeedbackStats,
  feedbackStatsByOwner,
  feedbackStatsByProject,
  feedbackStatsOfRuns,
  feedbackStatsWhere,
  hasFeedbackBeforeRuns,
  sessionFeedbackStats,
  threadFeedbackStats,
} from './stats.ts'
export { writeFeedback } from './write-feedback.ts'
