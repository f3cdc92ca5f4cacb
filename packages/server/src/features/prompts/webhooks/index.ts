export { createPromptWebhookListener, defineWebhookDeliveries } from './deliver.ts'
export { promptWebhookRoutes } from './routes.ts'
