import type { Run } from '@touchstone/contract'
import { type FileItem, FileList, toFileItem } from '#domain/files/file-list.tsx'
import { EmptyState } from '#ui/states.tsx'

/** Attachments of a run. */
export function FilesTab({ run }: { run: Run }) {
  const files = getAttachments(run)
  if (files.length === 0) return <EmptyState title="No files">This run has no attachments.</EmptyState>
  return <FileList files={files} className="p-3" />
}

export function getAttachments(run: Run): FileItem[] {
  return Object.entries(run.s3_urls ?? {})
    .filter(([name]) => name.startsWith('attachment.'))
    .flatMap(([name, { presigned_url, mime_type }]) => {
      return toFileItem(name.slice('attachment.'.length), presigned_url, mime_type ?? undefined) ?? []
    })
}
