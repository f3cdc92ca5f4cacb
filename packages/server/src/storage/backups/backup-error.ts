/** Why a backup cannot be made, verified or restored, in a sentence for the operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError'

  constructor(
    readonly kind: 'not_found' | 'not_empty' | 'failed',
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}

/** Turns what the file system says about space and permissions into a sentence; everything else stays as it is. */
export function toBackupError(error: unknown, directory: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new BackupError('failed', `The disk of ${directory} is full. Free space on it and try again.`, error)
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return new BackupError('failed', `${directory} cannot be written: permission denied. Change its owner.`, error)
  }
  if (code === 'EROFS') return new BackupError('failed', `${directory} is on a file system that is read-only.`, error)
  if (code === 'ENOTDIR' || code === 'EEXIST') {
    return new BackupError('failed', `${directory} is not a folder. Choose another directory.`, error)
  }
  return error
}
