export { promptWebhookRoutes } from './routes.ts'
