export { type AttachmentUrl, attachmentUrls } from './attachment-urls.ts'
export { blobRoutes } from './routes.ts'
export { attachmentSigner, attachmentsOfRuns, type StoredAttachment } from './stored-attachment.ts'
