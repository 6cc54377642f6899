// What is typed for each picture: keys, then a text or a condition to wait for, in pairs.
const isIdle = async (nvim) =>
  (await nvim.lua("return require('acp').status().running == 0")) &&
  !nvim.screen.lines().join().includes('working');
// In the chat, the output stands beside the file.
const isInTerminal = async (nvim) =>
  (await nvim.lua("return vim.bo.buftype == 'terminal'")) &&
  nvim.screen.lines().some((line) => line.trimStart().startsWith('✔'));
const isInDiff = (nvim) => nvim.lua('return vim.wo.diff');
// The chat has two windows beside the one with the file.
const hasMoreWindows = (nvim) => nvim.lua('return #vim.api.nvim_list_wins() > 3 and vim.fn.line("$") > 1');
const isListComplete = (nvim) =>
  nvim.lua(
    "return vim.bo.filetype == 'acp-sessions' and vim.fn.line('$') > 2 and vim.fn.search('^ *…$', 'n') == 0",
  );

const open = [':AcpChat<CR>', '~/work'];
const ask = (prompt, answer) => [`${prompt}<Esc><CR>`, answer];
const fix = ask('Fix the total, it is wrong if there is a coupon', '✔ a thing can be removed');
const publish = ask('Publish the new version', 'wants to run');
const explain = ask('Explain how the total is made', 'return applyCoupon');
const unsaved = [':7s/item.price/item.price * item.quantity<CR>', 'item.price * item.quantity'];
const change = ask('Change the total: apply the coupon once', 'Type number');

export const scenes = {
  chat: [...open, ...fix],
  question: [...open, ...publish],
  review: [...open, ...fix, '', isIdle, ':AcpReview<CR>', hasMoreWindows, 'j<CR>', '› ○ src/cart.js'],
  conflict: [...unsaved, ...open, ...change, '5<CR>', isInDiff, ':<BS>', 'yours'],
  terminal: [...open, ...fix, '<C-w>k[t<CR>', isInTerminal],
  mentions: [...open, ': is @this right? See @src/coupon.js<Esc>I@di', '@diagnostics'],
  markdown: [...open, ...explain, '', isIdle],
  traffic: [
    ...open,
    ...publish,
    ':AcpTraffic<CR>',
    'session/request_permission',
    'k<CR>zt',
    '"toolCallId": "call-0"',
  ],
  sessions: [
    ...open,
    ...explain,
    '',
    isIdle,
    ':AcpNew<CR>',
    '~/work',
    ...publish,
    ':AcpSessions panel<CR>',
    isListComplete,
  ],
};

/** The chat shows all of a turn. */
export const heights = { chat: 42 };

/** Scenes that are recorded while they are played. */
export const recorded = { turn: [...open, ...fix, '', ':AcpReview'] };
