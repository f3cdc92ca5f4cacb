export { feedbackRuleRoutes } from './routes.ts'
