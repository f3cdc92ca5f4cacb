export { listConfigsByKey, selectKeysWithLowerBetter } from './configs/configs.ts'
export { type FeedbackWrite, type SubmitFeedback, selectRunKeys } from './feedback-row.ts'
export {
  HIDDEN_ID,
  type HiddenIdDeps,
  hideScores,
  openHiddenScores,
  type ReadHiddenScores,
  selectHiddenIds,
} from './hidden-scores.ts'
export { type GivenFeedback, parseFeedback, prepareFeedback } from './normalize-feedback.ts'
export { listFeedback, type RunFeedback, readRunFeedback } from './read-feedback.ts'
export { printThreadSubject, readPersonAnswers } from './read-person-answers.ts'
export { feedbackRoutes } from './routes.ts'
export {
  countFeedbackByKey,
  type FeedbackStats,
  hasFeedbackBeforeRuns,
  readComparativeStats,
  readConversationFeedbackStats,
  readFeedbackStats,
  readFeedbackStatsByOwner,
  readProjectRunFeedbackStats,
  readRunFeedbackStats,
  readSessionFeedbackStats,
  readThreadFeedbackStats,
  whereOnThreads,
} from './stats.ts'
export { countFeedback, deleteFeedbackWhere, moveFeedback, writeFeedback } from './write-feedback.ts'
