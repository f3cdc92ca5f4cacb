export { promptWebhookRoutes } from './routes.ts'
export { createPromptWebhookListener, defineWebhookDeliveries } from './webhook-listener.ts'
