export { type AttachmentUrl, attachmentUrls } from './attachment-urls.ts'
export { blobRoutes } from './routes.ts'
