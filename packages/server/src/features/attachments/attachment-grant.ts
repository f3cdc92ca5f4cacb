import { readToken, signToken } from './signed-token.ts'

/** What a signed URL lets its holder read: one attachment, until it expires or what it belongs to is gone. */
export interface AttachmentGrant {
  /** Of the blob. */
  readonly key: string
  readonly mimeType: string
  readonly name: string
  readonly owner: AttachmentOwner
  /** The public link that it was obtained through; it ends with that link. */
  readonly share?: Share | undefined
}

/** The record whose attachment it is; the URL ends with it. */
export interface AttachmentOwner {
  readonly kind: 'run' | 'example'
  readonly tenantId: string
  readonly id: string
}

/** A public link of a run or of a dataset. */
export interface Share {
  readonly kind: 'run' | 'dataset'
  readonly token: string
}

/** Long enough for a client that lists now and downloads later. */
const LIFETIME_MS = 24 * 60 * 60 * 1000

/** A path below the server's origin that lets its holder read an attachment for a day. */
export function signAttachmentPath(grant: AttachmentGrant, secret: Buffer, nowMs: number): string {
  const { key, mimeType, name, owner, share } = grant
  // A name of any length would make a URL of any length; the media type becomes a header.
  const shortName = name.slice(0, 200).toWellFormed()
  const type = /^[\x20-\x7e]{1,200}$/.test(mimeType) ? mimeType : 'application/octet-stream'
  const ofShare = share === undefined ? [] : [share.kind, share.token]
  const fields = [key, type, shortName, owner.kind, owner.tenantId, owner.id, ...ofShare]
  return `/api/v1/blobs/${signToken('attachment', fields, nowMs + LIFETIME_MS, secret)}`
}

/** The grant of a token; `undefined` when it was forged, damaged or has expired. */
export function readAttachmentGrant(token: string, secret: Buffer, nowMs: number): AttachmentGrant | undefined {
  const fields = readToken('attachment', token, secret, nowMs)
  if (fields === undefined) return undefined
  const [key, mimeType, name, kind, tenantId, id, shareKind, shareToken] = fields.map(String) as [
    string,
    string,
    string,
    AttachmentOwner['kind'],
    string,
    string,
    Share['kind']?,
    string?,
  ]
  const share = shareKind && shareToken ? { kind: shareKind, token: shareToken } : undefined
  return { key, mimeType, name, owner: { kind, tenantId, id }, share }
}
