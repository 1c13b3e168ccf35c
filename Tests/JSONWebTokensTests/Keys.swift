/// Keys in JSON. Their private halves are gone.
enum Keys {
    /// An RSA key of 2,048 bits.
    static let rsa = #"""
        {"kty":"RSA","n":"oQRkA8N_DNhINHRfN0hZmZh_b6oA_96tbljOc-q6yvTbR0Au54927XPBdfq_oJc5nOIG_0BtNbYf9v\#
        X8YZtyMzEYCC-GOGSLfCjSJtPNF32vPVpUX-aqYGmZUkpHBY9M4o5fRUyyPsQDnGhP6iZs9nLOs2wgvHYC9cBJJnd4AkUgpD\#
        p6xBGZw0-dE9TCvWbcBKNvVjEHJKQxNmItBqfevj58suv8m3CvYWCNmaoNeymtcpAN21chFSvcQS3auERvgI_dHzaCOSOXpA\#
        jdBX7YQiWDpNtTFO8ZgU9vMvHCqw6N5p1GkUqxPxqfO_JvZ0xHuLP4mHQ7JsLItVz91-5HcQ","e":"AQAB","kid":"rsa"\#
        }
        """#
    /// An RSA key of 1,024 bits.
    static let weak = #"""
        {"kty":"RSA","n":"82S_rhVV5D38d2esps-FWii9yQXeHseEkNyXY_Be88sZet5kzO-8J8U8P541OD5GjL01BOyzmOZQ_-\#
        6ruJgexl9n8uHzegpUePB2lrQYz36Ky8P8YJwAqs5SxNVO1tts5FFfVZdRyqhg2ST-fedpu2tmW7L-UPRBgsJO7mVxWCk","\#
        e":"AQAB","kid":"weak"}
        """#
    /// A key on P-256.
    static let p256 = #"""
        {"kty":"EC","crv":"P-256","x":"yOSI0zBJALpw_W8wjcaLr70yM2WoP5tdDn44CUNHwk8","y":"x_JOPqzKcjbYlKc\#
        iJegS-yGs19T2g6e9guFWyuMNp4s","kid":"p256"}
        """#
    /// A key on P-384.
    static let p384 = #"""
        {"kty":"EC","crv":"P-384","x":"6VGjUPxQh8qt3tAPAvL8k6DOhLQyPwxcxGs2Xbswx6HitsEQbDSV5mr5OmH3uuXw"\#
        ,"y":"C7NE9Q8MPq9nuL2gAM86ZNU1LOgih43iJJwCqpGXm9RC_BI087HMDN-vWNF-LPQS","kid":"p384"}
        """#
    /// A key of Ed25519.
    static let ed25519 = #"""
        {"kty":"OKP","crv":"Ed25519","x":"PZjM-mqwPzRqY32Kb5wDsJl0KpLLYP6ka5gt8YILVaA","kid":"ed"}
        """#

    static let all = set(rsa, p256, p384, ed25519)
    /// A token with a subject that is not UTF-8, signed with `ed25519`.
    static let tokenBeyondUTF8 = """
        eyJhbGciOiJFZERTQSIsImtpZCI6ImVkIn0.eyJzdWIiOiL_In0.VDsMPnKcbuOten1IVhfM8-ywkSx92ZeURmRk8Y7Dv85D\
        fKAye6yL1R6wILfyXymyVorYLlpzhllfvwJdYVClBw
        """

    static func set(_ keys: String...) -> [UInt8] { Array("{\"keys\":[\(keys.joined(separator: ","))]}".utf8) }
}
