import type { Page } from 'playwright-core'

/** The inputs and outputs of the run on a page, as expandable rows. */
export const jsonTree = (page: Page) => page.getByRole('tree', { name: 'inputs and outputs' })

/** The first row that contains a text. */
export const jsonRow = (page: Page, text: string) =>
  jsonTree(page).getByRole('treeitem').filter({ hasText: text }).first()

/** Chooses an action of a row's menu by its name. */
export async function actOnRow(page: Page, text: string, action: string): Promise<void> {
  await jsonRow(page, text).click()
  await jsonRow(page, text).getByRole('button', { name: 'Actions on the value' }).click()
  await page.getByRole('menuitem', { name: action }).click()
}
