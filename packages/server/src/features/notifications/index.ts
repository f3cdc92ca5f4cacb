export { defineNoticeDeliveries } from './deliver.ts'
export type { Notice } from './notice.ts'
export { notificationRoutes } from './routes.ts'
export { assertChannels, type DeliveryTry, type NoticeDeps, sendNotice } from './send-notice.ts'
