export { blobRoutes } from './routes.ts'
export type { Share } from './signed-urls.ts'
export { getSigningSecret, readToken, SIGNED_URL_MS, signAttachmentPath, signToken } from './signed-urls.ts'
export {
  type AttachmentUrl,
  createAttachmentSigner,
  readAttachmentUrls,
  type StoredAttachment,
  selectRunAttachments,
  touchBlobs,
} from './stored-attachments.ts'
