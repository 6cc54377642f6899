--- `:AcpMode`, `:AcpModel` and `:AcpOption`: the settings of the session, by name.
local M = {}

---@class acp.SettingWords
---@field id string
---@field category? 'mode'|'model'
---@field values string[] the words that name its values
---@field current string|boolean

local function actions()
  return require('acp.chat.actions')
end

--- Changes the mode or the model; without a name the user chooses.
---@param chat acp.Chat
---@param category 'mode'|'model'
---@param word string
function M.set(chat, category, word)
  if word == '' then
    return actions().show_setting(chat, { category = category })
  end
  actions().choose_setting(chat, { category = category, value = word })
end

--- Changes an option. Without a value the user chooses it, without a name also the option.
---@param chat acp.Chat
---@param args string
function M.set_option(chat, args)
  local name, value = args:match('^(%S+)%s*(.-)%s*$')
  if not name or value == '' then
    return actions().show_setting(chat, { setting = name })
  end
  actions().choose_setting(chat, { setting = name, value = value })
end

---@return acp.SettingWords[]
local function settings()
  local chat = require('acp.chats').current()
  return chat and chat.settings or {}
end

---@param is_meant fun(setting: acp.SettingWords): boolean
---@return string[]
local function values_of(is_meant)
  local setting = vim.iter(settings()):find(is_meant)
  return setting and setting.values or {}
end

--- The words that may follow a command.
---@param name 'mode'|'model'|'option'
---@param line string the command line
---@return string[]
function M.words(name, line)
  if name ~= 'option' then
    return values_of(function(setting)
      return setting.category == name
    end)
  end
  -- After the name of the option and a blank its values follow.
  local option = line:match('[oO]ption!?%s+(%S+)%s')
  if option then
    return values_of(function(setting)
      return setting.id == option
    end)
  end
  return vim.tbl_map(function(setting)
    return setting.id
  end, settings())
end

return M
