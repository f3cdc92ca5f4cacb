export { readLastSweep } from './last-sweep.ts'
export { noteAttachments } from './note-attachments.ts'
export { noteExamples } from './note-examples.ts'
export { getDeletion } from './present.ts'
export {
  beginRecord,
  type DeletionRecord,
  type DoomedBlob,
  type RecordDeps,
  recordDeletion,
} from './record-deletion.ts'
export { deletionRoutes } from './routes.ts'
