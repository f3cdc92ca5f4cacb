export { noteAttachments, noteExamples } from './note-blobs.ts'
export { beginRecord, type DeletionRecord, type RecordDeps, recordDeletion } from './record-deletion.ts'
